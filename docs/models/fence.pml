/*
 * The fencing rules on three nodes, for the model checker spin. Two attempts ask for one name.
 * Messages keep no order, are lost (by never being delivered) and one may come twice; up to
 * EXPIRIES keys expire, each at any moment. No clock appears.
 *
 *   spin -a fence.pml && cc -w -O2 -DSAFETY -DCOLLAPSE -o pan pan.c && ./pan -m10000
 *
 * With -DNO_SEAL (to spin), a quorum of grants is enough, and the assertion breaks; with -DBARE_MAX,
 * a seal is satisfied with any fence at or above the token. -DDUPLICATES=0 makes the model smaller.
 */
#ifndef EXPIRIES
#define EXPIRIES 1
#endif
#ifndef DUPLICATES
#define DUPLICATES 1
#endif

#define N 3
#define NONE 0
#define IDLE 0
#define ASKING 1
#define SEALING 2
#define HELD 3
#define OVER 4
#define REFUSED 1
#define AT(c, n) (3 * (c) + (n))

byte fence[N];            /* the counter of a node */
byte holder[N];           /* 1 + the attempt whose key it holds */

bit acquire[6];           /* on its way to the node */
byte answer[6];           /* on its way back: REFUSED, or 2 + the fence */
bit heard[6];             /* the first answer counts */
byte grantedFence[6];     /* 0: not granted */
bit seal[6];
bit sealAnswer[6];
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

inline grant(c) {
  phase[c] = HELD;
  wasGranted[c] = 1;
  assert(token[c] > floorToken[c]);
  assert(!wasGranted[1 - c] || token[1 - c] != token[c])
}

/* A node that granted: its fence is the token, is below it, or came later and is above. */
inline place(c, n) {
  if
  :: grantedFence[AT(c, n)] == token[c] -> sealed[c]++
  :: grantedFence[AT(c, n)] < token[c] -> seal[AT(c, n)] = 1
  :: else -> skip
  fi
}

inline checkSealed(c) {
  if
  :: phase[c] == SEALING && sealed[c] >= 2 -> grant(c)
  :: else -> skip
  fi
}

inline hear(c, n) {
  heard[AT(c, n)] = 1;
  if
  :: answer[AT(c, n)] == REFUSED -> against[c]++
  :: else -> grantedFence[AT(c, n)] = answer[AT(c, n)] - 2; grants[c]++
  fi;
  answer[AT(c, n)] = 0;
  if
  :: phase[c] == ASKING && grants[c] >= 2 ->
    token[c] = 0;
    k = 0;
    do
    :: k < N ->
      if :: grantedFence[AT(c, k)] > token[c] -> token[c] = grantedFence[AT(c, k)] :: else -> skip fi;
      k++
    :: else -> break
    od;
#ifdef NO_SEAL
    grant(c);
#else
    phase[c] = SEALING;
    k = 0;
    do
    :: k < N -> if :: grantedFence[AT(c, k)] > 0 -> place(c, k) :: else -> skip fi; k++
    :: else -> break
    od;
    checkSealed(c);
#endif
  :: phase[c] == ASKING && against[c] >= 2 -> giveUp(c)
  :: phase[c] == SEALING && grantedFence[AT(c, n)] > 0 && grants[c] == 3 -> place(c, n); checkSealed(c)
  :: else -> skip
  fi;
  k = 0
}

/* Release and rollback are one: to all nodes, with the token if there is one. */
inline giveUp(c) {
  phase[c] = OVER;
  release[AT(c, 0)] = 1; release[AT(c, 1)] = 1; release[AT(c, 2)] = 1
}

inline onAcquire(c, n) {
  if
  :: holder[n] == NONE || holder[n] == c + 1 ->
    holder[n] = c + 1;
    fence[n]++;
    if :: !heard[AT(c, n)] && answer[AT(c, n)] == 0 -> answer[AT(c, n)] = 2 + fence[n] :: else -> skip fi
  :: else ->
    if :: !heard[AT(c, n)] && answer[AT(c, n)] == 0 -> answer[AT(c, n)] = REFUSED :: else -> skip fi
  fi
}

inline onSeal(c, n) {
#ifdef BARE_MAX
  if
  :: holder[n] == c + 1 ->
    sealAnswer[AT(c, n)] = 1;
    if :: fence[n] < token[c] -> fence[n] = token[c] :: else -> skip fi
  :: else -> skip
  fi
#else
  if
  :: holder[n] == c + 1 && fence[n] < token[c] -> fence[n] = token[c]; sealAnswer[AT(c, n)] = 1
  :: else -> skip
  fi
#endif
}

inline onRelease(c, n) {
  if :: fence[n] < token[c] -> fence[n] = token[c] :: else -> skip fi;
  if :: holder[n] == c + 1 -> holder[n] = NONE :: else -> skip fi
}

/* One attempt's own steps. */
proctype Attempt(byte c) {
end:
  do
  :: atomic { phase[c] == IDLE ->
       if :: wasGranted[1 - c] -> floorToken[c] = token[1 - c] :: else -> skip fi;
       phase[c] = ASKING;
       acquire[AT(c, 0)] = 1; acquire[AT(c, 1)] = 1; acquire[AT(c, 2)] = 1 }
  :: atomic { phase[c] == ASKING || phase[c] == SEALING || phase[c] == HELD -> giveUp(c) }
  od
}

/* What goes to and fro between one attempt and one node, and what befalls its key there. */
proctype Way(byte c; byte n) {
  byte k = 0;
end:
  do
  :: atomic { acquire[AT(c, n)] -> acquire[AT(c, n)] = 0; onAcquire(c, n) }
  :: atomic { acquire[AT(c, n)] && duplicates > 0 -> duplicates--; onAcquire(c, n) }
  :: atomic { answer[AT(c, n)] && !heard[AT(c, n)] -> hear(c, n) }
  :: atomic { seal[AT(c, n)] -> seal[AT(c, n)] = 0; onSeal(c, n) }
  :: atomic { sealAnswer[AT(c, n)] ->
       sealAnswer[AT(c, n)] = 0; sealed[c]++; checkSealed(c) }
  :: atomic { release[AT(c, n)] -> release[AT(c, n)] = 0; onRelease(c, n) }
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
