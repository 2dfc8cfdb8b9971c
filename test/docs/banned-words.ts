/**
 * Words and constructions that a reader would have to translate, and what to write instead. Each was found many times
 * and has no right use here: a rule with exceptions would be argued with.
 */
export const BANNED: readonly (readonly [RegExp, string])[] = [
  [/\bfor ever\b/i, "permanently; without limit"],
  [/\bfor good\b/i, "permanently"],
  [/\bas ever\b/i, "as usual"],
  [/\ball the same\b/i, "anyway"],
  [/\bin vain\b/i, "unsuccessfully"],
  [/\bto be had\b/i, "available; supported"],
  [/\b(?:could|can|cannot|can not) (?:not )?be had\b/i, "be acquired"],
  [/\bthe (?:lock|name|key) is had\b/i, "the lock is held"],
  [/\b(?:another|somebody|nobody) has it\b/i, "holds it"],
  [
    /\bwho (?:waits|asks|comes|steals|dies|resigns|joins|gets|wants|releases|meets|locks)\b/i,
    "a waiter; a caller; a client that ...",
  ],
  [/\bone who\b/i, "a client that; a waiter"],
  [
    /\bthose who (?:wait|stand|come|poll|have|hold|believe|read|write)\b/i,
    "waiters; holders; readers",
  ],
  [/\bto whom\b/i, "name the process"],
  [/\b(?:robbed|robs|robbing|thief|thieves)\b/i, "preempted; stolen"],
  [/\bgo(?:es)? on believing\b/i, "keeps working; still acts as the holder"],
  [/\bstops? (?:to )?believ(?:e|ing)\b/i, "loses the lock"],
  [/\bthat keep coming\b/i, "a stream of ..."],
  [/\bkept out\b/i, "excluded; starved"],
  [/\blies? on the nodes\b/i, "is stored on the nodes"],
  [/\bgood as free\b/i, "counts as free"],
  [/\bno whole number\b/i, "not an integer"],
  [/\b(?:is|are) no (?:lock|master|integer|error|option)\b/i, "is not a ..."],
  [
    /\b(?:CPU|calls?|commands?|keys?|scripts?|rows?|lines?|bytes?) a (?:cycle|node|name|lock|group|permit|hand-over|command|tick)\b/i,
    "... per ...",
  ],
  [/\bout of reach\b/i, "unreachable"],
  [/\bfor all of waitMs\b/i, "not acquired within waitMs"],
  [/\bbugs? of the field\b/i, "known bugs of lock implementations"],
  [/\b(?:thereof|whereby|therein|thereby|lest|ere|nought)\b/i, "so; in it"],
  [/\bas far as can be\b/i, "where possible"],
  [/\bturns? (?:it|them|writes?) away\b|\bturned away\b/i, "rejects; rejected"],
  [/\bby lot\b|\bdraws? (?:no )?lots\b/i, "at random"],
  [/\bbefell?\b/i, "affected"],
  [/\b(?:anew|over again)\b/i, "again"],
];
