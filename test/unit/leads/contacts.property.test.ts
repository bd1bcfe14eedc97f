import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ApiError } from '../../../lib/errors/errors.ts';
import {
  type LookupLead,
  uniqueAfter,
  uniqueContacts,
  updateLookups,
} from '../../../lib/leads/contacts.ts';
import type { Lead } from '../../../lib/leads/lead.ts';
import {
  type ContactField,
  contactFields,
  type Pipeline,
} from '../../../lib/pipelines/pipeline.ts';
import { toKey } from '../../../lib/table/table.ts';
import { foundByContacts } from '../../support/contacts.ts';
import { seed } from '../../support/random.ts';
import { times } from '../../support/some.ts';

// Leads that are made, changed, merged and removed, while what their pipelines have unique changes, too.

// Few, so that leads meet.
const contacts = fc.record({
  pipeline_id: fc.constantFrom('p', 'p', 'p', 'q'),
  email: fc.constantFrom(null, 'ana@example.com', 'ANA@example.com'),
  phone: fc.constantFrom(null, '+5511987654321', '+5511987654322'),
});
const step = fc.record({
  action: fc.oneof(
    { weight: 4, arbitrary: fc.constant('write') },
    { weight: 4, arbitrary: fc.constantFrom('merge', 'remove', 'unique', 'unique') },
  ),
  lead: fc.nat(2),
  other: fc.nat(2),
  contacts,
  /** What is changed; the rest stays. */
  change: fc.constantFrom('pipeline_id', 'email', 'phone', 'phone'),
  unique: fc.subarray([...contactFields]),
});

const ids = Array.from({ length: 3 }, () => randomUUID());

/** The lookup items of a table, and the leads of a model that looks at every lead. */
class World {
  readonly items = new Map<string, string>();
  readonly leads = new Map<string, LookupLead>();
  readonly unique = new Map<string, ContactField[]>([
    ['p', []],
    ['q', ['email']],
  ]);

  pipeline(id: string): Pipeline {
    return { id, unique_contact: this.unique.get(id) } as Pipeline;
  }

  /** Carries the writes out, all or none, and answers which contact was refused. */
  commit(before?: LookupLead, after?: LookupLead, gone?: LookupLead): string | undefined {
    const writes = updateLookups('o', before, after, gone);
    const keys = writes.map((write) => toKey('Put' in write ? write.Put.Item! : write.Delete.Key!));
    const names = keys.map(({ pk, sk }) => `${pk} ${sk}`);
    // A transaction of DynamoDB takes no item twice.
    expect(new Set(names).size).toBe(names.length);
    for (const [i, write] of writes.entries()) {
      if (!('Put' in write) || !write.Put.ConditionExpression) continue;
      const existing = this.items.get(names[i]!);
      const from = write.Put.ExpressionAttributeValues?.[':lead_id_is'];
      if (existing === from) continue;
      const error = write.refused!(existing ? { ...keys[i], lead_id: existing } : undefined);
      return error instanceof ApiError ? error.details?.[0]?.path : 'changed';
    }
    for (const [i, write] of writes.entries()) {
      if ('Put' in write) this.items.set(names[i]!, write.Put.Item!.lead_id ?? write.Put.Item!.sk);
      else this.items.delete(names[i]!);
    }
    return undefined;
  }

  /** Contacts that are written, unique there, and another lead's alone. */
  taken(lead: Lead, before: Lead | undefined, ...but: string[]): string[] {
    return contactFields.filter((field) => {
      const stays = before?.[field] === lead[field] && before.pipeline_id === lead.pipeline_id;
      const isUnique = this.unique.get(lead.pipeline_id)!.includes(field);
      const others = [...this.leads.values()].filter((one) => !but.includes(one.lead.id));
      return !stays && isUnique && others.some((one) => hasAlone(one, field, lead));
    });
  }

  write(id: string, lead: Lead): void {
    const before = this.leads.get(id);
    const pipeline = this.pipeline(lead.pipeline_id);
    const unique = before ? uniqueAfter(before, lead, pipeline) : uniqueContacts(pipeline, lead);
    this.#expectDone(this.taken(lead, before?.lead, id), before, { lead, unique });
  }

  merge(before: LookupLead, gone: LookupLead): void {
    const [kept, other] = [before.lead, gone.lead];
    const lead = { ...kept, email: kept.email ?? other.email, phone: kept.phone ?? other.phone };
    const unique = uniqueAfter(before, lead, this.pipeline(lead.pipeline_id), gone);
    const handed = contactFields.filter((field) => hasAlone(gone, field, kept));
    expect(unique).toEqual(expect.arrayContaining(handed));
    const taken = this.taken(lead, kept, kept.id, other.id);
    this.#expectDone(taken, before, { lead, unique }, gone);
  }

  #expectDone(
    taken: string[],
    before: LookupLead | undefined,
    after: LookupLead,
    gone?: LookupLead,
  ): void {
    const refused = this.commit(before, after, gone);
    if (taken.length > 0) {
      expect(taken).toContain(refused);
      return;
    }
    expect(refused).toBeUndefined();
    if (gone) this.leads.delete(gone.lead.id);
    this.leads.set(after.lead.id, after);
  }

  /** Each lead is found by each contact, once, and no other item is left. */
  expectFindable(): void {
    const found = [...this.items].map(([key, id]) => `${key.replace(/ .*/, '')} ${id}`);
    const leads = [...this.leads.values()].map(({ lead }) => lead);
    const expected = foundByContacts('o', leads);
    expect(found.sort()).toEqual(expected.sort());
  }
}

const hasAlone = ({ lead, unique }: LookupLead, field: ContactField, other: Lead): boolean =>
  unique.includes(field) &&
  lead.pipeline_id === other.pipeline_id &&
  lead[field]?.toLowerCase() === other[field]?.toLowerCase();

test(`a contact is refused where it is written and another lead has it alone, and nowhere else (SEED=${seed})`, () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25, size: 'max' }), (steps) => {
      const world = new World();
      for (const { action, contacts, change, unique, ...place } of steps) {
        const [id, other] = [ids[place.lead]!, ids[place.other]!];
        const [one, gone] = [world.leads.get(id), world.leads.get(other)];
        const given = { [change]: contacts[change] };
        const lead = {
          external_id: null,
          ...(one ? { ...one.lead, ...given } : { id, ...contacts }),
        };
        if (action === 'write') world.write(id, lead as Lead);
        else if (action === 'unique') world.unique.set(contacts.pipeline_id, unique);
        else if (action === 'merge' && one && gone && one !== gone) world.merge(one, gone);
        else if (action === 'remove' && one) {
          world.commit(one);
          world.leads.delete(id);
        }
        world.expectFindable();
      }
    }),
    { seed, numRuns: times(200, 1000) },
  );
});
