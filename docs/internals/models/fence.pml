/*
 * The fencing rules on three nodes, for the model checker spin. Two attempts ask for one name.
 * Messages keep no order, are lost (by never being delivered), and DUPLICATES of them come twice;
 * EXPIRIES keys expire, each at any moment. Either attempt may be given up at any moment. No clock
 * appears. The assertions: no token is granted twice, and who begins behind a grant gets a larger one.
 *
 *   mkdir -p .tmp/spin && cd .tmp/spin
 *   spin -a ../../docs/internals/models/fence.pml && cc -w -O2 -DSAFETY -DCOLLAPSE -o pan pan.c && ./pan -m1000
 *
 * spin 6.5.2 walks through all of it, no state is left out: 10610821 states, 59769371 steps, "errors: 0",
 * in one to two minutes and 1.6 GB. With -DDUPLICATES=0 behind `spin` it is 914832 states in 3 s; with
 * -DEXPIRIES=2 -DDUPLICATES=0, 2313747 states in 10 s.
 *
 * To see the assertions fail, plant a bug with one more switch behind `spin`, and show how it came
 * about with the same switch: spin -DNO_SEAL -k fence.pml.trail -p ../../docs/internals/models/fence.pml
 *
 *   -DNO_SEAL   a quorum of grants is enough; a token below an earlier one is found at once
 *   -DBARE_MAX  a seal is satisfied where the fence is at the token or above; a token that is granted
 *               twice is found after 15 s (it takes both an expiry and a duplicate)
 */
#ifndef EXPIRIES
#define EXPIRIES 1
#endif
#ifndef DUPLICATES
#define DUPLICATES 1
#endif

#define N 3
#define QUORUM 2
#define NONE 0
#define IDLE 0
#define ASKING 1
#define SEALING 2
#define HELD 3
#define OVER 4
#define REFUSED 1
#define UNDER_WAY 1
#define COUNTED 2
#define AT(c, n) (3 * (c) + (n))
#define LISTENS(c) (phase[c] == ASKING || phase[c] == SEALING)

byte fence[N];            /* the counter of a node */
byte holder[N];           /* 1 + the attempt whose key it holds */

bit acquire[6];           /* on its way to the node */
byte answer[6];           /* on its way back: REFUSED, or 2 + the fence */
bit heard[6];             /* the first answer counts */
byte grantedFence[6];     /* 0: not granted */
bit seal[6];
byte sealAnswer[6];
bit release[6];

byte phase[2];
byte token[2];
byte floorToken[2];       /* the largest token granted before the attempt began */
byte grants[2];
byte against[2];
byte sealed[2];
bit wasGranted[2];

byte expiries = EXPIRIES;
byte duplicates = DUPLICATES;

/* Nobody looks at answers any more: states that differ in them only become one. */
inline forget(c) {
  for (k : 0 .. 2) {
    answer[AT(c, k)] = 0; heard[AT(c, k)] = 0; grantedFence[AT(c, k)] = 0; sealAnswer[AT(c, k)] = 0
  }
  grants[c] = 0; against[c] = 0; sealed[c] = 0
}

inline grant(c) {
  phase[c] = HELD;
  wasGranted[c] = 1;
  assert(token[c] > floorToken[c]);
  assert(!wasGranted[1 - c] || token[1 - c] != token[c]);
  floorToken[c] = 0;
  forget(c)
}

/* Release and rollback are one: to all nodes, with the token if there is one. */
inline giveUp(c) {
  phase[c] = OVER;
  floorToken[c] = 0;
  for (k : 0 .. 2) { release[AT(c, k)] = 1 }
  forget(c)
}

/* A node that granted: its fence is the token, is below it, or came later and is above. */
inline place(c, n) {
  if
  :: grantedFence[AT(c, n)] == token[c] -> sealed[c]++
  :: grantedFence[AT(c, n)] > 0 && grantedFence[AT(c, n)] < token[c] -> seal[AT(c, n)] = 1
  :: else -> skip
  fi
}

inline checkSealed(c) {
  if
  :: phase[c] == SEALING && sealed[c] >= QUORUM -> grant(c)
  :: else -> skip
  fi
}

/* The token is the largest fence of the quorum, fixed now. */
inline decide(c) {
  for (k : 0 .. 2) {
    if :: grantedFence[AT(c, k)] > token[c] -> token[c] = grantedFence[AT(c, k)] :: else -> skip fi
  }
#ifdef NO_SEAL
  grant(c)
#else
  phase[c] = SEALING;
  for (k : 0 .. 2) { place(c, k) }
  checkSealed(c)
#endif
}

inline hear(c, n) {
  heard[AT(c, n)] = 1;
  if
  :: answer[AT(c, n)] == REFUSED -> against[c]++
  :: else -> grantedFence[AT(c, n)] = answer[AT(c, n)] - 2; grants[c]++
  fi;
  answer[AT(c, n)] = 0;
  if
  :: phase[c] == ASKING && grants[c] >= QUORUM -> decide(c)
  :: phase[c] == ASKING && against[c] >= QUORUM -> giveUp(c)
  :: phase[c] == SEALING -> place(c, n); checkSealed(c)
  :: else -> skip
  fi
}

/* Of two answers only the one that comes first counts, and either may. */
inline reply(c, n, what) {
  if
  :: LISTENS(c) && !heard[AT(c, n)] -> answer[AT(c, n)] = what
  :: !LISTENS(c) || heard[AT(c, n)] || answer[AT(c, n)] -> skip
  fi
}

inline onAcquire(c, n) {
  if
  :: holder[n] == NONE || holder[n] == c + 1 ->
    holder[n] = c + 1;
    fence[n]++;
    reply(c, n, 2 + fence[n])
  :: else -> reply(c, n, REFUSED)
  fi
}

inline onSeal(c, n) {
  if
#ifdef BARE_MAX
  :: holder[n] == c + 1 ->
    if :: fence[n] < token[c] -> fence[n] = token[c] :: else -> skip fi;
#else
  :: holder[n] == c + 1 && fence[n] < token[c] ->
    fence[n] = token[c];
#endif
    if :: phase[c] == SEALING && !sealAnswer[AT(c, n)] -> sealAnswer[AT(c, n)] = UNDER_WAY :: else -> skip fi
  :: else -> skip
  fi
}

inline onRelease(c, n) {
  if :: fence[n] < token[c] -> fence[n] = token[c] :: else -> skip fi;
  if :: holder[n] == c + 1 -> holder[n] = NONE :: else -> skip fi
}

/* Whether a message that is delivered will come once more. */
inline deliver(message) {
  if
  :: message = 0
  :: duplicates > 0 -> duplicates--
  fi
}

/* One attempt's own steps. */
proctype Attempt(byte c) {
  byte k = 0;
end:
  do
  :: atomic { phase[c] == IDLE ->
       if :: wasGranted[1 - c] -> floorToken[c] = token[1 - c] :: else -> skip fi;
       phase[c] = ASKING;
       for (k : 0 .. 2) { acquire[AT(c, k)] = 1 }
       k = 0 }
  :: atomic { LISTENS(c) || phase[c] == HELD -> giveUp(c); k = 0 }
  od
}

/* What goes to and fro between one attempt and one node, and what befalls its key there. */
proctype Way(byte c; byte n) {
  byte k = 0;
end:
  do
  :: atomic { acquire[AT(c, n)] -> deliver(acquire[AT(c, n)]); onAcquire(c, n) }
  :: atomic { answer[AT(c, n)] -> hear(c, n); k = 0 }
  :: atomic { seal[AT(c, n)] -> deliver(seal[AT(c, n)]); onSeal(c, n) }
  :: atomic { sealAnswer[AT(c, n)] == UNDER_WAY ->
       sealAnswer[AT(c, n)] = COUNTED; sealed[c]++; checkSealed(c); k = 0 }
  :: atomic { release[AT(c, n)] -> deliver(release[AT(c, n)]); onRelease(c, n) }
  :: atomic { holder[n] == c + 1 && expiries > 0 -> expiries--; holder[n] = NONE }
  od
}

init {
  /* Counters that differ: what an earlier attempt with one vote leaves behind. */
  fence[0] = 1;
  atomic {
    run Attempt(0); run Way(0, 0); run Way(0, 1); run Way(0, 2);
    run Attempt(1); run Way(1, 0); run Way(1, 1); run Way(1, 2)
  }
}
