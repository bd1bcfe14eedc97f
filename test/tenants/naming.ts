import type { AnyOperation } from '../../lib/operations/kinds/operation.ts';
import { replaced } from '../api/input/requests.ts';
import { type Answer, call, insist, routed } from '../support/api.ts';
import type { Organization } from '../support/organization.ts';
import { sample } from '../support/samples.ts';
import { quick } from '../support/some.ts';
import type { Secrets } from './tenant.ts';

/** A field, and what of the other organization it can name. */
export const carriers: Record<string, keyof Secrets | 'cursor'> = {
  lead_id: 'lead_id',
  id: 'lead_id',
  from: 'lead_id',
  note_id: 'note_id',
  pipeline_id: 'pipeline_id',
  webhook_id: 'webhook_id',
  key_id: 'key_id',
  user_id: 'user_id',
  owner_id: 'user_id',
  created_by: 'user_id',
  stage: 'stage',
  default_stage: 'stage',
  tag: 'tag',
  tags: 'tag',
  email: 'email',
  phone: 'phone',
  external_id: 'external_id',
  q: 'contact_name',
  contact_name: 'contact_name',
  company_name: 'company_name',
  name: 'name',
  cursor: 'cursor',
};
/** Fields that can't. */
export const plain =
  'at thresholds kind period enabled alert_at limit sort outcome created_from created_to updated_from updated_to stage_entered_from stage_entered_to next_step_from next_step_to value_from value_to value_cents next_step_at next_step stages unique_contact role lead leads match move url types description status after type fields key label options filterable archived text dry_run expires_at previous_expires_in_seconds event_id hold_id stars expires_in_seconds reason feature spender not_after up_to_available to spends organization_id members pipelines wallet tier monthly_grant_stars price_cents currency stripe_prices trial_stars group_by suspended'.split(
    ' ',
  );

interface Shape {
  _zod: { def: { shape?: Record<string, unknown>; in?: Shape } };
}
/** Of an object, also where something is made of it. */
export const fieldsOf = (schema: unknown): string[] => {
  const def = (schema as Shape | undefined)?._zod.def;
  return def?.in ? fieldsOf(def.in) : Object.keys(def?.shape ?? {});
};

type Part = 'path' | 'query' | 'body';
export type Place = readonly [part: Part, field: string];

export const placesOf = ({ id, request }: AnyOperation): Place[] =>
  (['path', 'query', 'body'] as const).flatMap((part) => {
    const fields = fieldsOf(request[part]);
    const named = part === 'body' ? (inLeads[id] ?? fields) : fields;
    return named.filter((field) => field in carriers).map((field) => [part, field] as const);
  });
const bodyOf = (operation: string) =>
  fieldsOf(routed.find(({ id }) => id === operation)?.request.body);
/** Bodies with leads in them, which are checked one by one: the fields of these. */
const inLeads: Record<string, string[]> = {
  createLeads: bodyOf('createLead'),
  upsertLead: bodyOf('updateLead'),
  updateLeads: ['id', ...bodyOf('updateLead')],
};
/** Where such a field is in the body. */
const placeIn = (body: Sent['body'], field: string): (string | number)[] => {
  if (body.lead) return ['lead', field];
  if (!body.leads) return [field];
  return ['leads', 0, ...(body.leads[0].patch && field !== 'id' ? ['patch'] : []), field];
};

/** Each place by itself; but in `npm test`, each two of them, too. */
export const choices = (all: Place[]): Place[][] => [
  ...all.map((one) => [one]),
  ...(quick ? [] : all.flatMap((one, i) => all.slice(i + 1).map((two) => [one, two]))),
];

export interface Sent {
  path: Record<string, string>;
  query: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape.
  body: any;
  headers: Record<string, string>;
}

export const send = ({ method, path }: AnyOperation, sent: Sent): Promise<Answer> => {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => sent.path[name] ?? '');
  const ask = () =>
    call(method, `${filled}?${new URLSearchParams(sent.query)}`, {
      headers: sent.headers,
      ...(sent.body && { body: JSON.stringify(sent.body) }),
    });
  // Once more only: what fails by chance has to be seen.
  return insist(ask, 2);
};

export const sampleOf = async (
  operation: AnyOperation,
  organization: Organization,
): Promise<Sent> => {
  const event = await sample(operation.id, organization);
  const body = event.body ? JSON.parse(event.body) : undefined;
  if (body?.leads) body.leads.length = 1;
  return {
    path: (event.pathParameters ?? {}) as Record<string, string>,
    query: (event.queryStringParameters ?? {}) as Record<string, string>,
    body,
    headers: event.headers as Record<string, string>,
  };
};

/** Has the request name what these secrets are, in some of its places. */
export const naming = (sent: Sent, where: Place[], secrets: Secrets, cursor: string): Sent => {
  const named = structuredClone(sent);
  for (const [part, field] of where) {
    const carried = carriers[field]!;
    const value = carried === 'cursor' ? cursor : secrets[carried];
    if (part !== 'body') named[part][field] = value;
    else {
      const at = placeIn(named.body, field);
      named.body = replaced(named.body, at, field === 'tags' ? [value] : value);
    }
  }
  return named;
};

/** What someone can tell from an answer: without what is new in each, and what they sent. */
export const seen = (
  { status, headers, text }: Answer,
  sent: Secrets,
  cursor: string,
): unknown[] => {
  let masked = text.replaceAll(cursor, 'cursor');
  for (const [name, value] of Object.entries(sent)) masked = masked.replaceAll(value, name);
  masked = masked
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'uuid')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
    // The feed grows meanwhile.
    .replace(/"last_sequence":\d+/, '"last_sequence":n')
    .replace(/lsk_\w+/, 'lsk_…')
    .replace(/"next_cursor":"[^"]*"/, '"next_cursor":"…"');
  const names = ['etag', 'idempotency-replayed', 'retry-after', 'location'];
  return [status, names.map((name) => headers.get(name)), masked];
};
