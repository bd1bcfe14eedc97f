/** The primary key of an item. */
export interface Key {
  pk: string;
  sk: string;
}

/** An item of the table, of whatever kind it is. */
export type Item = Record<string, unknown>;

export const toKey = ({ pk, sk }: { pk?: unknown; sk?: unknown }): Key => ({
  pk: String(pk),
  sk: String(sk),
});

/** The names in a template: those of `NOTES#<organizationId>#<leadId>` are `organizationId` and `leadId`. */
type NamesOf<Template extends string> = Template extends `${string}<${infer Name}>${infer Rest}`
  ? Name | NamesOf<Rest>
  : never;
export type IdsOf<Template extends string> = Record<NamesOf<Template>, string>;

const name = /<(\w+)>/g;

const fill = (template: string, ids: Readonly<Record<string, string>>): string =>
  template.replace(name, (_, id: string) => ids[id] ?? '');

const escapeText = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Matches what a template makes. An id may have any character but the character that follows it in the template. */
const patternOf = (template: string): RegExp => {
  const parts = template.split(name);
  const source = parts.map((part, i) => {
    if (i % 2 === 0) return escapeText(part);
    const [end] = parts[i + 1] ?? '';
    return end === undefined ? `(?<${part}>.*)` : `(?<${part}>[^${escapeText(end)}]*)`;
  });
  return new RegExp(`^${source.join('')}$`, 's');
};

/** Where the items of one kind are: templates of their partition and sort keys. */
export class Place<P extends string = string, S extends string = string> {
  readonly partitionTemplate: P;
  readonly sortTemplate: S;
  /** The beginning of all of its partition keys, and that of all of its sort keys. */
  readonly prefix: string;
  readonly sortPrefix: string;
  readonly #patterns: readonly [RegExp, RegExp];

  constructor(partition: P, sort: S) {
    this.partitionTemplate = partition;
    this.sortTemplate = sort;
    this.prefix = partition.split('<')[0] ?? '';
    this.sortPrefix = sort.split('<')[0] ?? '';
    this.#patterns = [patternOf(partition), patternOf(sort)];
  }

  partition(ids: IdsOf<P>): string {
    return fill(this.partitionTemplate, ids);
  }

  sort(ids: IdsOf<S>): string {
    return fill(this.sortTemplate, ids);
  }

  key(ids: IdsOf<P> & IdsOf<S>): Key {
    return { pk: this.partition(ids), sk: this.sort(ids) };
  }

  /** The ids in the key of an item of this kind. Throws for a key of another kind. */
  idsOf(key: Key): IdsOf<P> & IdsOf<S> {
    const ids = this.find(key);
    if (!ids) throw new Error(`a key of ${this.partitionTemplate} has not its form`);
    return ids;
  }

  /** The ids in a key; undefined for a key of another kind. */
  find({ pk, sk }: Key): (IdsOf<P> & IdsOf<S>) | undefined {
    const [inPartition, inSort] = [this.#patterns[0].exec(pk), this.#patterns[1].exec(sk)];
    return inPartition && inSort
      ? ({ ...inPartition.groups, ...inSort.groups } as IdsOf<P> & IdsOf<S>)
      : undefined;
  }
}
