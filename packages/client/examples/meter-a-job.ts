import type { Client } from '@leads-and-stars/client';

type Job = () => Promise<number>;

/** Runs a job that costs as many stars as it returns, perhaps more than `most`. Killed? Call it again. */
export const meter = async (crm: Client, hold_id: string, most: number, job: Job) => {
  const path = { hold_id };
  const body = { stars: most, expires_in_seconds: 900 };
  await crm.put('/billing/holds/{hold_id}', { path, body });
  const { data: hold } = await crm.get('/billing/holds/{hold_id}', { path });
  if (hold.status === 'captured') return hold; // An earlier call was paid.
  if (hold.status !== 'open') throw new Error(`The hold is ${hold.status}.`);
  const release = () => crm.post('/billing/holds/{hold_id}/release', { path });
  const stars = await job().catch(async (error) => {
    await release().catch(() => {}); // Else it expires. Another try takes a new hold_id.
    throw error;
  });
  const price = { stars, up_to_available: true };
  const pay = () => crm.post('/billing/holds/{hold_id}/capture', { path, body: price });
  return (await (stars > 0 ? pay() : release())).data; // Tells captured_stars, missing_stars.
};
