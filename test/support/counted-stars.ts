import type { Hold, Spend } from '../../lib/billing/stored/lots.ts';

/** What limits counted of spends and open holds, less what came back: by the sort keys of counters. */
export const countedStars = (
  open: readonly Hold[],
  spends: readonly Spend[],
): Map<string, number> => {
  const totals = new Map<string, number>();
  const count = ({ counted = [], ...purpose }: Spend | Hold, refunded: number) => {
    let back = refunded;
    for (const { stars, kinds } of counted.toReversed()) {
      const returned = Math.min(stars, back);
      back -= returned;
      for (const kind of kinds) {
        const key = `${kind}#${purpose[kind]}`;
        totals.set(key, (totals.get(key) ?? 0) + stars - returned);
      }
    }
  };
  for (const hold of open) count(hold, 0);
  for (const spend of spends) count(spend, spend.refunded);
  return totals;
};
