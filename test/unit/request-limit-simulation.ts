import { Sampler } from '../../lib/handlers/http/sampler.ts';
import { judge, sampleEvery } from '../../lib/organizations/request-limit.ts';
import { random as seeded } from '../faults/random.ts';

interface Setting {
  environments: number;
  /** Requests that an organization sends, at random times. */
  perSecond: number;
  seconds: number;
  limit: number;
  seed: number;
}

/** Milliseconds by which a read of the counter is behind. */
const lag = 20;

/** One organization's requests, each to any of the environments, with the service's own sampler and verdicts. */
export const simulate = ({ environments, perSecond, seconds, limit, seed }: Setting) => {
  const random = seeded(seed);
  const samplers = Array.from({ length: environments }, () => new Sampler(sampleEvery, random));
  /** What the counter held from which time on, the last ones only. */
  const writes = [{ at: 0, clearAt: 0 }];
  let [sent, admitted, now] = [0, 0, 0];
  for (;;) {
    now += (-Math.log(1 - random()) / perSecond) * 1000;
    if (now > seconds * 1000) break;
    sent++;
    while (writes.length > 1 && writes[1]!.at <= now - lag) writes.shift();
    if (!judge({ clearAt: writes[0]!.clearAt }, now, limit).admitted) continue;
    admitted++;
    const sampler = samplers[Math.floor(random() * environments)]!;
    const samples = sampler.take('own', 1);
    if (samples === 0) continue;
    const clearAt = Math.max(now, writes.at(-1)!.clearAt) + (samples * sampleEvery * 1000) / limit;
    writes.push({ at: now, clearAt });
  }
  return { admittedPerSecond: admitted / seconds, refusedShare: (sent - admitted) / sent };
};
