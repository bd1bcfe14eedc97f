import type { SimulatedStep } from '../../../support/simulated-store.ts';
import type { WalletSimulation } from './wallet-simulation.ts';

/** What befalls one of the requests to the table of a function, or the function itself. */
export const fates = [
  'dies before',
  'dies after',
  'is held up',
  'arrives late',
  'gets no answer',
  'is throttled',
  'is refused',
] as const;
export type Fate = (typeof fates)[number];

/** Milliseconds that a function runs at most: what it has sent does not arrive later. */
const functionMs = 11_000;

const never = new Promise<never>(() => {});

const failure = (name: string, httpStatusCode: number) =>
  Object.assign(new Error('injected'), { name, $metadata: { httpStatusCode } });

/** Whether an error is one of these, and no fault of the service. */
export const isInjected = (error: unknown): boolean =>
  error instanceof Error && error.message === 'injected';

/** A race that is lost: DynamoDB refuses the transaction, as another one has an item of it. */
export const conflict = () =>
  Object.assign(failure('TransactionCanceledException', 400), {
    CancellationReasons: [{ Code: 'TransactionConflict' }],
  });

export interface FateOptions {
  fate: Fate;
  /** The number of the request that it befalls, from 1 on. */
  at: number;
  /** How long what is held up or late takes, within the function's time. */
  heldMs: number;
  /** The first transaction loses its race, so that the function has to wait. */
  losesRace?: boolean;
}

/** What befalls a function's requests, and how many of them it has made. */
export const fateOf = (
  { clock }: WalletSimulation,
  { fate, at, heldMs, losesRace = false }: FateOptions,
): { step: SimulatedStep; count: () => number } => {
  let count = 0;
  let isDead = false;
  let mayWin = !losesRace;
  const end = clock.now + functionMs;
  const wait = () => clock.sleep(Math.min(heldMs, Math.max(0, end - clock.now)));
  const befall = async (pass: () => Promise<unknown>): Promise<unknown> => {
    switch (fate) {
      case 'dies before':
        isDead = true;
        return never;
      case 'dies after':
        isDead = true;
        await pass();
        return never;
      case 'is held up':
        await wait();
        return pass();
      case 'arrives late':
        // The function is killed, and what it had sent arrives after that, within its time.
        isDead = true;
        await wait();
        await pass();
        return never;
      case 'gets no answer':
        await pass();
        throw failure('InternalServerError', 500);
      case 'is throttled':
        throw failure('ThrottlingException', 400);
      case 'is refused':
        throw failure('ValidationException', 400);
    }
  };
  const step: SimulatedStep = async (name, pass) => {
    if (isDead) return never;
    const isNow = ++count === at;
    const wins = mayWin || name !== 'TransactWriteCommand';
    mayWin ||= name === 'TransactWriteCommand';
    const lose = async () => {
      throw conflict();
    };
    return isNow ? befall(wins ? pass : lose) : wins ? pass() : lose();
  };
  return { step, count: () => count };
};
