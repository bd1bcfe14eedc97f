import * as z from 'zod/mini';
import { type IdsOf, type Item, type Key, Place, toKey } from './place.ts';

// docs/decisions/one-table.md

/** The attributes of a kind of item, beside its key. */
export type AttributesOf<K> = K extends Kind<string, string, infer A> ? A : never;

/** An item of a kind, as it is read. */
export type ItemOf<K> = Key & AttributesOf<K>;

/** The key of an item with the attributes `A`. */
export class ItemKey<A> implements Key {
  readonly pk: string;
  readonly sk: string;
  readonly #kind: AnyKind<A>;

  constructor({ pk, sk }: Key, kind: AnyKind<A>) {
    this.pk = pk;
    this.sk = sk;
    this.#kind = kind;
  }

  /** Whether facts tell of it: then it is written by a commit, with a fact. */
  get hasFacts(): boolean {
    return this.#kind.hasFacts ?? false;
  }

  /** The attributes that were read by this key. Throws where the table has something else. */
  read(item: Item | undefined): (Key & A) | undefined {
    return item && this.#kind.parse(item);
  }

  /** The item with these attributes. They may be of an item that was read elsewhere: its key is none of them. */
  item(attributes: A): Item {
    return { ...this.#kind.store(attributes), ...toKey(this) };
  }
}

interface AnyKind<A> {
  readonly hasFacts?: boolean;
  parse(item: Item): Key & A;
  store(attributes: A): object;
}

export interface KindDefinition<A> {
  /** The thing that its items hold, in the words of the docs. */
  holds: string;
  attributes: z.ZodMiniType<A>;
  /** The stored form, where it is not the attributes themselves. */
  store?: (attributes: A) => object;
  /** Whether facts tell of what happens to it. */
  hasFacts?: true;
  /** The error for an item that the schema refuses. */
  refuse?: (message: string) => Error;
}

/** One kind of item: where its items are, and what each of them has. */
export class Kind<P extends string, S extends string, A> extends Place<P, S> {
  readonly holds: string;
  readonly attributes: z.ZodMiniType<A>;
  readonly hasFacts: boolean;
  readonly #definition: KindDefinition<A>;

  constructor({ partitionTemplate, sortTemplate }: Place<P, S>, definition: KindDefinition<A>) {
    super(partitionTemplate, sortTemplate);
    this.holds = definition.holds;
    this.attributes = definition.attributes;
    this.hasFacts = definition.hasFacts ?? false;
    this.#definition = definition;
  }

  override key(ids: IdsOf<P> & IdsOf<S>): ItemKey<A> {
    return new ItemKey(super.key(ids), this);
  }

  /** An item that was read. Throws where it is none of this kind: nothing but the service writes the table. */
  parse(item: Item): Key & A {
    const { success, data, error } = z.safeParse(this.attributes, item);
    if (success) return { ...toKey(item), ...data };
    const { refuse = (message) => new Error(message) } = this.#definition;
    const [{ path, message } = { path: [], message: '' }] = error.issues;
    throw refuse(`${path.join('.')} of ${item.pk} ${item.sk}: ${message}`);
  }

  store(attributes: A): object {
    return this.#definition.store?.(attributes) ?? Object(attributes);
  }
}
