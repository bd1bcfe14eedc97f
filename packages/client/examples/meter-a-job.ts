import { LambdaClient } from '@aws-sdk/client-lambda';
import { createFunctions } from '@leads-and-stars/client/functions';

const stars = createFunctions({ lambda: new LambdaClient(), stack: 'LeadsAndStars' });

/** Runs a job that costs as many stars as it returns, at most `most`. Killed? Call it again with the same id. */
export const meter = async (
  organization_id: string,
  jobId: string,
  most: number,
  job: () => Promise<number>,
) => {
  const hold = { organization_id, hold_id: jobId };
  const { held, balance } = await stars.holdStars({
    ...hold,
    stars: most,
    expires_in_seconds: 900,
  });
  if (!held) throw new Error(`It needs ${most} stars, and there are ${balance.available_stars}.`);
  const cost = await job().catch(async (error) => {
    await stars.releaseHold(hold);
    throw error;
  });
  return cost > 0 ? stars.captureHold({ ...hold, stars: cost }) : stars.releaseHold(hold);
};
