import { LambdaClient } from '@aws-sdk/client-lambda';
import { createFunctions } from '@leads-and-stars/client/functions';

const stars = createFunctions({ lambda: new LambdaClient(), stack: 'LeadsAndStars' });

type Hold = { organization_id: string; hold_id: string };
type Job = () => Promise<number>;

/** Runs a job that costs as many stars as it returns, at most `most`. Killed? Call it again. */
export const meter = async (hold: Hold, most: number, job: Job) => {
  const input = { ...hold, stars: most, expires_in_seconds: 900 };
  const { held, balance } = await stars.holdStars(input);
  if (!held) throw new Error(`It needs ${most} stars, and there are ${balance.available_stars}.`);
  const cost = await job().catch(async (error) => {
    await stars.releaseHold(hold);
    throw error;
  });
  return cost > 0 ? stars.captureHold({ ...hold, stars: cost }) : stars.releaseHold(hold);
};
