import { LambdaClient } from '@aws-sdk/client-lambda';
import { createFunctions } from '@leads-and-stars/client/functions';

const stars = createFunctions({ lambda: new LambdaClient(), stack: 'LeadsAndStars' });

type Hold = { organization_id: string; hold_id: string };

/** Runs a job that costs as many stars as it returns, at most `most`. Killed? Call it again. */
export const meter = async (hold: Hold, most: number, job: () => Promise<number>) => {
  const input = { ...hold, stars: most, expires_in_seconds: 900 };
  const { held, expires_at, balance } = await stars.holdStars(input);
  if (!held) throw new Error(`It needs ${most} stars, and there are ${balance.available_stars}.`);
  if (Date.parse(expires_at ?? '') <= Date.now())
    throw new Error('The hold has expired: take a new hold_id.');
  const cost = await job().catch(async (error) => {
    await stars.releaseHold(hold).catch(() => {}); // Else it expires. Another try takes a new hold_id.
    throw error;
  });
  return cost > 0 ? stars.captureHold({ ...hold, stars: cost }) : stars.releaseHold(hold);
};
