import { createHash } from 'node:crypto';

/** When a call was under way, in milliseconds since the epoch. */
export interface Span {
  from: number;
  to: number;
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-([0-9a-f])[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const moment = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
/** How long after its call something expires, in the examples: the longest first, as a run takes less than the gaps. */
const lifetimesMs = [24 * 60 * 60 * 1000, 60 * 60 * 1000, 10 * 60 * 1000];
const dayMs = 24 * 60 * 60 * 1000;
/** How long the month is that begins with a call. The examples tell 30 days. */
const monthsMs = [31, 30, 29, 28].map((days) => days * dayMs);
/** A secret that is none: of 32 zeros. */
const secret = `whsec_${Buffer.alloc(32).toString('base64')}`;
const apiKey = /^(ls[kp])_\w+$/;
const firstMoment = Date.parse('2026-11-21T09:00:00.000Z');

/**
 * Makes what differs from run to run the same in each: ids by the order in which they come, moments by
 * the call in which they were (a minute each), cursors, secrets. What was chosen by the caller stays.
 */
export const normalizer = (known: readonly string[], spans: readonly Span[]) => {
  const ids = new Map(known.map((id) => [id, id]));
  const cursors = new Map<string, string>();

  const idFor = (id: string, version: string): string => {
    const number = String(ids.size).padStart(12, '0');
    const made = ids.get(id) ?? `01a1fc01-04c2-${version}000-8000-${number}`;
    ids.set(id, made);
    return made;
  };
  const ofCall = (call: number, laterMs = 0): string =>
    new Date(firstMoment + call * 60_000 + laterMs).toISOString();
  const callAt = (at: number): number => spans.findLastIndex(({ from }) => from <= at);
  /** The end of a month that began in a call, or when the data of the first start was made; undefined for another time. */
  const monthEndFor = (at: number): string | undefined => {
    const begins = monthsMs.map((monthMs) => at - monthMs);
    const begin = begins.find(
      (then) => spans[0]!.from - dayMs / 2 < then && then <= spans.at(-1)!.to,
    );
    return begin === undefined ? undefined : ofCall(callAt(begin) + 1, 30 * dayMs);
  };
  const momentFor = (text: string): string => {
    const at = Date.parse(text);
    if (at > spans.at(-1)!.to) return monthEndFor(at) ?? text;
    return ofCall(callAt(at) + 1);
  };
  /** A time that is one of the lifetimes after a call is told as a moment of that call. */
  const expiryFor = (text: string): string => {
    for (const lifetimeMs of lifetimesMs) {
      const then = Date.parse(text) - lifetimeMs;
      const i = callAt(then);
      if (i >= 0 && then <= spans.at(-1)!.to) return ofCall(i + 1, lifetimeMs);
    }
    return momentFor(text);
  };
  const cursorFor = (cursor: string): string => {
    const digest = createHash('sha512').update(String(cursors.size)).digest('base64url');
    const made = cursors.get(cursor) ?? digest.slice(0, cursor.length);
    cursors.set(cursor, made);
    return made;
  };

  const normalize = (value: unknown, key = ''): unknown => {
    if (typeof value === 'string') {
      if (key === 'secret') return secret;
      if (apiKey.test(value))
        return value.replace(apiKey, `$1_${'0'.repeat(22)}_${'0'.repeat(43)}_${'0'.repeat(6)}`);
      if (key.endsWith('cursor') && value.length > 20) return cursorFor(value);
      const timeFor = key.endsWith('expires_at') ? expiryFor : momentFor;
      return value.replace(uuid, idFor).replace(moment, timeFor);
    }
    if (Array.isArray(value)) return value.map((one) => normalize(one));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, normalize(v, k)]));
  };
  return <T>(value: T): T => normalize(value) as T;
};
