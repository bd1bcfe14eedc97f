import { Option } from 'commander';
import type { operations } from '../schema.ts';

type Query = NonNullable<operations['listLeads']['parameters']['query']>;
/** Which leads are exported, and in which order: parameters of the list. */
export type ListQuery = Omit<Query, 'cursor' | 'limit'>;

/** Every choice of a parameter, by its type. */
const sorts: Record<NonNullable<Query['sort']>, true> = {
  '-created_at': true,
  created_at: true,
  '-updated_at': true,
  updated_at: true,
  '-value_cents': true,
  value_cents: true,
  '-next_step_at': true,
  next_step_at: true,
};
const outcomes: Record<NonNullable<Query['outcome']>, true> = { open: true, won: true, lost: true };

const without = (flag: string, what: string) =>
  new Option(`--${flag} <none>`, `leads without ${what}`).choices(['none']);

/** The option of each parameter, but of those that look up one lead. */
const options = {
  sort: new Option('--sort <order>', 'ascending, or with - descending').choices(Object.keys(sorts)),
  outcome: new Option('--outcome <outcome>', 'leads in stages of this outcome').choices(
    Object.keys(outcomes),
  ),
  pipeline_id: new Option('--pipeline <id>', 'leads of this pipeline'),
  stage: new Option('--stage <names...>', 'leads in one of these stages'),
  owner_id: new Option('--owner <id>', 'leads of this user; me with a token, or none'),
  email: without('email', 'an email'),
  phone: without('phone', 'a phone'),
  next_step_at: without('next-step', 'a next step'),
  value_cents: without('value', 'a value'),
  tag: new Option('--tag <tags...>', 'leads that have all of these tags'),
  created_from: new Option('--created-from <time>', 'created then or later'),
  created_to: new Option('--created-to <time>', 'created before'),
  updated_from: new Option('--updated-from <time>', 'last changed then or later'),
  updated_to: new Option('--updated-to <time>', 'last changed before'),
  stage_entered_from: new Option('--stage-entered-from <time>', 'in the stage since then or later'),
  stage_entered_to: new Option('--stage-entered-to <time>', 'in the stage since before'),
  next_step_from: new Option('--next-step-from <time>', 'whose next step is due then or later'),
  next_step_to: new Option('--next-step-to <time>', 'whose next step is due before'),
  value_from: new Option('--value-from <cents>', 'of this value or more'),
  value_to: new Option('--value-to <cents>', 'of less than this value'),
} satisfies Record<Exclude<keyof ListQuery, 'external_id' | 'fields'>, Option>;

export const listOptions: readonly Option[] = Object.values(options);

/** The parameters that the options of a command line give. */
export const listQueryOf = (given: Readonly<Record<string, unknown>>): ListQuery =>
  Object.fromEntries(
    Object.entries(options).flatMap(([parameter, option]) => {
      const value = given[option.attributeName()];
      return value === undefined ? [] : [[parameter, value]];
    }),
  );
