import { absent } from '../table/condition.ts';
import { ordinal } from '../table/keys.ts';
import { Kind, type KindDefinition } from '../table/kind.ts';
import { type IdsOf, type Place, toKey } from '../table/place.ts';
import { ConflictError } from '../table/retry.ts';
import { nameOf, type Write } from '../table/table.ts';
import { type Origin, toStoredOrigin } from './origin.ts';

// docs/decisions/facts.md

/** What happened to one thing, once: it is written in the transaction that did it. */
export interface Fact {
  /** The name of the thing's item. */
  thing: string;
  /** The write of it, by the origin of its commit. */
  toWrite(origin: Origin): Write<'PutItem'>;
}

interface FactDefinition<A> extends KindDefinition<A> {
  /** Where the thing is to which it happens. */
  thing: Place;
  /** The fact has the content of the reply: who erases it has to find the reply's record. */
  namesRecord?: true;
  /** The error where the fact's number is taken, if the thing's own condition excludes that: it is a fault, and not tried again. */
  refused?: () => Error;
}

/** One kind of fact: where its items are, and what each of them has. Their sort key begins with the fact's number. */
export class FactKind<
  P extends string,
  S extends string,
  A extends { version: number },
> extends Kind<P, S, A> {
  readonly #thing: Place;
  /** What the write of each has beside its item. */
  readonly #around: Pick<Write<'PutItem'>, 'refused' | 'namesRecord'>;

  constructor(
    place: Place<P, S>,
    { thing, namesRecord, refused = () => new ConflictError(), ...definition }: FactDefinition<A>,
  ) {
    super(place, definition);
    this.#thing = thing;
    this.#around = {
      refused,
      ...(namesRecord && { namesRecord }),
    };
  }

  /** The fact with the number in its attributes. `origin`: who and which request, where that is not those of the commit. */
  fact(ids: Omit<IdsOf<P> & IdsOf<S>, 'version'>, attributes: A, origin?: Origin): Fact {
    const numbered = { ...ids, version: ordinal(attributes.version) } as IdsOf<P> & IdsOf<S>;
    const key = this.key(numbered);
    return {
      thing: nameOf(this.#thing.key(numbered)),
      toWrite: (ofCommit) => ({
        Put: {
          Item: {
            ...this.store(attributes),
            ...toStoredOrigin(origin ?? ofCommit),
            ...toKey(key),
          },
          ConditionExpression: absent.text,
        },
        ...this.#around,
      }),
    };
  }
}
