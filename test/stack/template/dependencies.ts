import type { Resources } from './references.ts';

// What CloudFormation begins before, beside and after what, by a template's references and `DependsOn`.

/** All resources that must be there before one of them is begun, also for those before it. */
export type Before = Map<string, Set<string>>;

/** The logical ids that a value refers to. */
const referredTo = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    if (name === 'Ref') return [inner];
    if (name === 'Fn::GetAtt') return [inner[0]];
    if (name === 'Fn::Sub') {
      const text: string = [inner].flat()[0];
      return [...text.matchAll(/\$\{(\w+)/g)].map(([, id]) => id!);
    }
    return referredTo(inner);
  });
};

/** What each resource waits for. Throws where one would wait for itself. */
export const dependenciesIn = (resources: Resources): Before => {
  const before: Before = new Map();
  const look = (id: string, way: readonly string[]): Set<string> => {
    if (way.includes(id)) throw new Error(`in a circle: ${[...way, id].join(' ')}`);
    const known = before.get(id);
    if (known) return known;
    const { Properties, DependsOn = [] } = resources[id]!;
    const direct = [...[DependsOn].flat(), ...referredTo(Properties)].filter(
      (one) => resources[one],
    );
    const all = new Set(direct.flatMap((one) => [one, ...look(one, [...way, id])]));
    before.set(id, all);
    return all;
  };
  for (const id of Object.keys(resources)) look(id, []);
  return before;
};

/**
 * The most of these resources of which none waits for another: so many CloudFormation may work on at once. By Dilworth's
 * theorem it is the fewest chains that have all of them, which a greatest matching says.
 */
export const mostAtOnce = (ids: readonly string[], before: Before): number => {
  const next = new Map<string, string>();
  const joins = (id: string, seen: Set<string>): boolean =>
    ids.some((other) => {
      if (seen.has(other) || !before.get(id)!.has(other)) return false;
      seen.add(other);
      const taken = next.get(other);
      if (taken !== undefined && !joins(taken, seen)) return false;
      next.set(other, id);
      return true;
    });
  return ids.filter((id) => !joins(id, new Set())).length;
};
