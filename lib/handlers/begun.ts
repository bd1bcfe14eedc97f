import type { Agent } from 'node:https';

/** What was begun before the function's code was loaded: see infra/start.ts. */
export interface Begun {
  /** The issuer's keys, as they were asked for then. */
  keys?: AskedKeys;
  /** It has a connection to DynamoDB, or is about to have one. */
  agent?: Agent;
}

export interface AskedKeys {
  /** Milliseconds since the epoch. */
  askedAt: number;
  body: Promise<Uint8Array>;
}

const place = Symbol.for('begun');
type Place = { [place]?: Begun };

/** Nothing, where the function was loaded in another way. */
export const begun = (): Begun => (globalThis as Place)[place] ?? {};

/** For `begun`, which is in another bundle. */
export const tellBegun = (what: Begun): void => {
  (globalThis as Place)[place] = what;
};
