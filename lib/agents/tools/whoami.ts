import * as z from 'zod/mini';
import { ApiError, invalid } from '../../errors/errors.ts';
import type { AnyOperation } from '../../operations/kinds/operation.ts';
import { type Forms, numberOf, type RunOperation, reads, type Tool } from '../tool.ts';

/** What the caller may be told of an organization, beside itself. */
const lists = ['pipelines', 'fields', 'members'] as const;
type ListName = (typeof lists)[number];

/** Entries of each list at most, from the fullest form to the shortest. */
const entriesByForm = [50, 20, 12, 8, 5, 3, 2, 1];

interface Organization {
  id: string;
  name: string;
  role: string;
  currency: string;
  spender?: string;
}
type ListEntry = Record<string, unknown>;

export const whoamiTool = (
  getOrganization: AnyOperation,
  getSpendLimit: AnyOperation,
  operationOf: Record<ListName, AnyOperation>,
): Tool => ({
  name: 'whoami',
  title: 'Who am I',
  description:
    'Call this first. Tells the time now, your role, the currency of the organization (amounts are in its smallest unit), your spender with what its `limit` leaves you, the pipelines with their stages, the custom fields of leads, and the members, who can own leads. An API key is no member: ask for whom you work. Where a list is cut, `next` says how to get the rest.',
  operations: [getOrganization, getSpendLimit, ...lists.map((name) => operationOf[name])],
  input: {
    show: z.optional(z.enum(lists)).check(z.describe('Only this list.')),
    skip: z.optional(z.int().check(z.gte(0))).check(z.describe('Entries of it to skip.')),
  },
  annotations: reads,
  async work({ show, skip = 0, ...others }, run) {
    const names = lists.filter((name) => show === undefined || name === show);
    if (names.length === 0) throw invalid('show', `must be one of ${lists.join(', ')}`);
    const first = numberOf('skip', skip, 0);
    const [[own, limit], ...all] = await Promise.all([
      run(getOrganization, { query: others }).then(async ({ body }) => {
        const { spender } = body as Organization;
        const path = { kind: 'spender', name: spender };
        const limit = spender ? await ifTold(() => run(getSpendLimit, { path })) : undefined;
        return [body as Organization, limit?.body] as const;
      }),
      ...names.map((name) => ifTold(() => readEntries(run, name, operationOf[name], first))),
    ]);
    const { id, name, role, currency, spender } = own;
    const now = new Date().toISOString();
    const forms = entriesByForm.map((most) => ({
      now,
      role,
      currency,
      organization: { id, name },
      spender,
      limit,
      ...Object.fromEntries(all.map((entries, i) => [names[i], entries?.slice(0, most)])),
      next: names.flatMap((one, i) =>
        (all[i]?.length ?? 0) > most ? `whoami with show ${one} and skip ${first + most}` : [],
      ),
    }));
    return forms as unknown as Forms;
  },
});

/** Enough to know whether there are more than the fullest form has. */
const mostRead = 51;

/** What work gives; undefined where the caller may not know it, or where there is none. */
const ifTold = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError && ['forbidden', 'not_found'].includes(error.code))
      return undefined;
    throw error;
  }
};

/** The entries of a list after those to skip. */
const readEntries = async (
  run: RunOperation,
  name: ListName,
  operation: AnyOperation,
  skip: number,
): Promise<ListEntry[]> => {
  const entries: ListEntry[] = [];
  let cursor: string | null | undefined;
  do {
    // The other lists have one page.
    const page = name === 'members' && { limit: ['200'], ...(cursor && { cursor: [cursor] }) };
    const { body } = await run(operation, { query: { ...page } });
    const { items, next_cursor } = body as { items: ListEntry[]; next_cursor?: string | null };
    entries.push(...items);
    cursor = next_cursor;
  } while (cursor && entries.length < skip + mostRead);
  return entries.slice(skip, skip + mostRead).map(told[name]);
};

interface Stage {
  name: string;
  outcome: string;
}

const told: Record<ListName, (entry: ListEntry) => ListEntry> = {
  pipelines: ({ id, name, stages, default_stage, unique_contact }) => ({
    id,
    name,
    default_stage,
    unique_contact,
    ...Object.fromEntries(
      ['open', 'won', 'lost'].map((outcome) => [
        `${outcome}_stages`,
        (stages as Stage[]).flatMap((one) => (one.outcome === outcome ? one.name : [])),
      ]),
    ),
  }),
  fields: ({ key, label, type, options, filterable, archived }) => ({
    key,
    label,
    type,
    ...((options as string[]).length > 0 && { options }),
    ...(filterable === true && { filterable }),
    ...(archived === true && { archived }),
  }),
  members: ({ user_id, role, name }) => ({ user_id, role, name }),
};
