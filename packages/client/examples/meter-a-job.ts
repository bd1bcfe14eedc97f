import type { Client } from '@leads-and-stars/client';

type Job = () => Promise<number>;

/** Runs a job that costs as many stars as it returns, at most `most`. Killed? Call it again. */
export const meter = async (crm: Client, hold_id: string, most: number, job: Job) => {
  const path = { hold_id };
  const body = { stars: most, expires_in_seconds: 900 };
  const { data } = await crm.put('/billing/holds/{hold_id}', { path, body });
  if (Date.parse(data.expires_at) <= Date.now()) throw new Error('The hold has expired.');
  const end = (stars: number) =>
    stars > 0
      ? crm.post('/billing/holds/{hold_id}/capture', { path, body: { stars } })
      : crm.post('/billing/holds/{hold_id}/release', { path });
  const cost = await job().catch(async (error) => {
    await end(0).catch(() => {}); // Else it expires. Another try takes a new hold_id.
    throw error;
  });
  return (await end(cost)).data;
};
