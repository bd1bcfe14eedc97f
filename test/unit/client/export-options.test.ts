import { Command } from 'commander';
import { expect, test } from 'vitest';
import { listOptions, listQueryOf } from '../../../packages/client/src/cli/export-options.ts';

const queryOf = (...args: string[]) => {
  const command = new Command('export').exitOverride().configureOutput({ writeErr: () => {} });
  for (const option of listOptions) command.addOption(option);
  return listQueryOf(command.parse(args, { from: 'user' }).opts());
};

test('each option of an export is a parameter of the list, and what is not given is none', () => {
  expect(queryOf()).toEqual({});
  const given = listOptions.flatMap(({ long, argChoices, variadic }) => [
    long ?? '',
    ...(variadic ? ['a', 'b'] : [argChoices?.[0] ?? `of ${long}`]),
  ]);
  expect(queryOf(...given)).toEqual({
    sort: '-created_at',
    outcome: 'open',
    pipeline_id: 'of --pipeline',
    stage: ['a', 'b'],
    owner_id: 'of --owner',
    email: 'none',
    phone: 'none',
    next_step_at: 'none',
    value_cents: 'none',
    tag: ['a', 'b'],
    created_from: 'of --created-from',
    created_to: 'of --created-to',
    updated_from: 'of --updated-from',
    updated_to: 'of --updated-to',
    stage_entered_from: 'of --stage-entered-from',
    stage_entered_to: 'of --stage-entered-to',
    next_step_from: 'of --next-step-from',
    next_step_to: 'of --next-step-to',
    value_from: 'of --value-from',
    value_to: 'of --value-to',
  });
});

test.each([
  ['--sort', 'contact_name', '-value_cents'],
  ['--outcome', 'maybe', 'lost'],
])('%s %s is refused before anything is sent, and %s is not', (option, wrong, right) => {
  expect(() => queryOf(option, wrong)).toThrow('Allowed choices');
  expect(Object.values(queryOf(option, right))).toEqual([right]);
});
