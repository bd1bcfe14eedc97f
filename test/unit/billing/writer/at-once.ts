import type { UpdateContent } from '../../../../lib/billing/writer/wallet-update.ts';
import { ApiError } from '../../../../lib/errors/errors.ts';
import type { Answer, WalletSimulation } from './wallet-simulation.ts';

/** Milliseconds in which every request is answered. */
export const longEnoughMs = 30_000;

/** What became of an update of a request. */
export const codeOf = ({ results }: Answer, i = 0) => {
  const result = results[i]!;
  if ('record' in result) return result.isRepeat ? 'repeat' : 'made';
  if (!(result.error instanceof ApiError)) throw result.error;
  return result.error.code;
};

/** Sends all of these at once, and waits for all answers. */
export const atOnce = async (
  simulation: WalletSimulation,
  asked: UpdateContent[][],
): Promise<Answer[]> => {
  const all: Promise<Answer>[] = [];
  for (const contents of asked) {
    simulation.clock.after(0, () => all.push(simulation.send({ contents })));
  }
  await simulation.clock.run(longEnoughMs);
  return Promise.all(all);
};
