import type { Agent } from 'node:https';

/** What was begun before the function's code was loaded: see infra/start.ts. */
export interface Begun {
  /** It has a connection to DynamoDB, or is about to have one. */
  agent?: Agent;
}

const place = Symbol.for('begun');
type Place = { [place]?: Begun | undefined };

/** Undefined where the function was loaded in another way. */
export const begun = (): Begun | undefined => (globalThis as Place)[place];

/** For `begun`, which is in another bundle. */
export const tellBegun = (what: Begun | undefined): void => {
  (globalThis as Place)[place] = what;
};
