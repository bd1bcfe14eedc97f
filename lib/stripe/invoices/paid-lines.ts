import type { Plan } from '../../billing/stored/plan.ts';
import { invalid } from '../../errors/errors.ts';
import { momentOf, toIso } from '../event.ts';
import type { Invoice, InvoiceLine } from './invoices.ts';

/** A line of `subscription.paid`. Its fields are not checked yet. */
export interface WalletLine {
  from: string;
  until: string;
  monthly_grant_stars: number;
  tier: string;
  proration?: true;
  part?: true;
  trial?: true;
}

/**
 * The lines that an invoice gives and credits, by the plans that its prices sell. Lines of other prices give nothing.
 * Throws `invalid_request` for a line that can't be told in stars. Pure.
 */
export const walletLinesOf = (
  { lines, isFirst }: Pick<Invoice, 'lines' | 'isFirst'>,
  plans: ReadonlyMap<string, Plan>,
): WalletLine[] =>
  lines.flatMap((line, i) => {
    const plan = plans.get(line.price ?? '');
    return plan ? lineOf(line, plan, isFirst, `lines.data.${i}`) : [];
  });

const lineOf = (line: InvoiceLine, plan: Plan, isFirst: boolean, path: string): WalletLine[] => {
  const { quantity, amount, period, proration, isCredit, isDiscounted } = line;
  if (line.isOddPrice) throw oddPrice(`${path}.price`);
  if (proration === undefined)
    throw invalid(`${path}.parent`, 'must say whether it is a proration');
  if (quantity === undefined || !Number.isSafeInteger(quantity) || quantity < 0) {
    throw invalid(`${path}.quantity`, 'must be a whole number');
  }
  const isFree = amount === 0 && !isDiscounted;
  // A proration of no amount is of a trial, or of a moment.
  if (quantity === 0 || (isFree && proration)) return [];
  const time = {
    from: toIso(momentOf(period.start)),
    until: toIso(momentOf(period.end)),
    tier: plan.tier,
  };
  if (isFree) return [{ ...time, monthly_grant_stars: plan.trial_stars, trial: true }];
  const stars = plan.monthly_grant_stars * quantity;
  return [
    {
      ...time,
      monthly_grant_stars: isCredit && stars > 0 ? -stars : stars,
      ...(proration && { proration }),
      ...(proration && isFirst && !isCredit && { part: true }),
    },
  ];
};

/** `invalid_request` for a price of a plan that counts otherwise than by the units that were bought. */
export const oddPrice = (path: string) =>
  invalid(path, 'is that of a plan, and is metered or has transform_quantity');
