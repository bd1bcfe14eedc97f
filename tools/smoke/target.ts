import type { CleanUp } from './clean-up.ts';
import type { Deployed } from './deployed-stack.ts';
import type { BusListener } from './listener.ts';

/** The service under test. The SDK's clients find the rest of it by environment variables. */
export interface SmokeTarget {
  baseUrl: string;
  /** The bus that billing sends its events to. */
  eventsInBus: string;
  /** The deployed stack; undefined if the service runs on this machine. */
  deployed: Deployed | undefined;
  /** Gets the id_token of a user; undefined, with a reason, where none can be had. */
  logIn: (() => Promise<string>) | undefined;
  noLoginReason: string;
  /** Listens to what the service sends; undefined, with a reason, where nobody can. */
  listen: (() => Promise<BusListener>) | undefined;
  noListenerReason: string;
  /** Part of the names of all that this run makes. */
  runId: string;
  /** How long to wait for what comes later, in milliseconds. */
  waitMs: number;
  cleanUp: CleanUp;
  /** Aborted when the run is to end. */
  stopped: AbortSignal | undefined;
  made: MadeThings;
}

/** The things that a check has made for checks after it. */
export interface MadeThings {
  token?: string;
  platformKey?: string;
  pipelineId?: string;
  listener?: BusListener;
  webhook?: { id: string; checkpoint: number; testId: string };
  /** Changes that the service has to tell. */
  changes: ExpectedChange[];
}

/** A change, by its type and the id of its lead, or of the event in the wallet's ledger. */
export interface ExpectedChange {
  type: string;
  id: string;
}
