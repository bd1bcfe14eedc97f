import * as z from 'zod/mini';
import { feature, reason, spender } from './fields.ts';

/** Fields by which a spend or a hold may tell its purpose. */
export const purposeInput = {
  reason: z.optional(reason()),
  feature: z.optional(feature()).check(z.describe('What the stars are for.')),
  spender: z
    .optional(spender())
    .check(z.describe('Who uses them: a member, a key, a device, whatever the caller means.')),
};

/** A purpose as it is told. */
export const purposeOutput = {
  reason: z.nullable(reason()),
  feature: z.nullable(feature()),
  spender: z.nullable(spender()),
};

/** Why stars are spent or held. All entries of a hold have its purpose, and refunds that of their spend. */
export type Purpose = z.output<z.ZodMiniObject<typeof purposeInput>>;

/** The purpose alone, without the other fields of what has a purpose. */
export const purposeOf = ({ reason, feature, spender }: Purpose): Purpose => ({
  reason,
  feature,
  spender,
});

/** The purpose that is told: each part is from the first of the purposes that has it. */
export const toldPurpose = (...purposes: readonly (Purpose | undefined)[]) => {
  const of = (part: keyof Purpose) =>
    purposes.map((one) => one?.[part]).find((value) => value !== undefined) ?? null;
  return { reason: of('reason'), feature: of('feature'), spender: of('spender') };
};
