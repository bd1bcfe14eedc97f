import type { Section } from '../section.ts';
import { table } from '../section.ts';
import type { Page, Traversal } from './section.ts';

interface Measured {
  pages: Page[];
  traversals: Traversal[];
  traversedSize: number;
  seed: number;
}

export const reportLists = ({ pages, traversals, traversedSize, seed }: Measured): Section => {
  const rows = pages.map(({ size, names, leads, units, floor, usual }) => [
    size,
    names.join(' + ') || 'none',
    leads,
    units,
    floor,
    (units / floor).toFixed(2),
    usual,
  ]);
  const t = traversals.map(({ names, leads, pages, units, dearestPage, smallestList }) => [
    names.join(' + '),
    leads,
    pages,
    units,
    dearestPage,
    smallestList,
    (units / smallestList).toFixed(2),
  ]);
  return {
    title: 'Lists',
    goals: [],
    content: [
      table(['size', 'filters', 'leads', 'units', 'floor', 'ratio', 'usual'], rows),
      `${traversedSize} ${seed}`,
      table(['filters', 'leads', 'pages', 'units', 'dearest', 'smallest', 'ratio'], t),
    ],
  };
};
