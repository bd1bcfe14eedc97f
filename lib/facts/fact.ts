import { absent } from '../table/condition.ts';
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
}

interface FactOptions {
  /** Who and which request, where that is not those of the commit. */
  origin?: Origin;
  /** The error where the number is taken. By default, it is decided anew. */
  refused?: (() => Error) | undefined;
}

/** One kind of fact: where its items are, and what each of them has. Their sort key begins with the fact's number. */
export class FactKind<P extends string, S extends string, A extends object> extends Kind<P, S, A> {
  readonly #thing: Place;
  readonly #namesRecord: true | undefined;

  constructor(place: Place<P, S>, { thing, namesRecord, ...definition }: FactDefinition<A>) {
    super(place, definition);
    this.#thing = thing;
    this.#namesRecord = namesRecord;
  }

  fact(
    ids: IdsOf<P> & IdsOf<S>,
    attributes: A,
    { origin, refused = () => new ConflictError() }: FactOptions = {},
  ): Fact {
    const key = this.key(ids);
    return {
      thing: nameOf(this.#thing.key(ids)),
      toWrite: (ofCommit) => ({
        Put: {
          Item: {
            ...this.store(attributes),
            ...toStoredOrigin(origin ?? ofCommit),
            ...toKey(key),
          },
          ConditionExpression: absent.text,
        },
        refused,
        ...(this.#namesRecord && { namesRecord: true }),
      }),
    };
  }
}
