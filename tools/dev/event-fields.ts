import * as z from 'zod/mini';
import { ownWalletEvent } from '../../lib/billing/events/event-update.ts';

/** A field of events of billing, as the command line takes it. */
interface EventField {
  name: string;
  /** The field's type in JSON. */
  type: string | undefined;
  /** The types of events that have the field. */
  types: string[];
}

type Variant = { properties: Record<string, { type?: string; const?: string }> };

const named = ['type', 'event_id', 'organization_id'];

/** Every field of the schema, but for those that each event has. */
export const eventFields: readonly EventField[] = (() => {
  const schema = z.toJSONSchema(ownWalletEvent, { io: 'input', unrepresentable: 'any' });
  const fields = new Map<string, EventField>();
  for (const { properties } of schema.oneOf as Variant[]) {
    for (const [name, { type }] of Object.entries(properties)) {
      const field = fields.get(name) ?? { name, type, types: [] };
      field.types.push(properties.type!.const!);
      fields.set(name, field);
    }
  }
  return [...fields.values()].filter(({ name }) => !named.includes(name));
})();

/** A value as JSON has it. What is no whole number, and no JSON, is none to the schema. */
export const fieldValue = (type: string | undefined, text: string): unknown => {
  if (type === 'integer') return /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (type !== 'array') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};
