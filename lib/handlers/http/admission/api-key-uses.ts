import type { TableClient } from '../../../table/client.ts';
import type { Key } from '../../../table/keys.ts';
import { RecentSet } from './recent-set.ts';

const mostRemembered = 1000;
/** A use is worth no more waiting than this. */
const timeoutMs = 500;

/** Keeps the day on which each API key was used last: at most one write for each key and day in an environment. */
export class ApiKeyUses {
  readonly #noted = new RecentSet(mostRemembered);

  /**
   * `key` is where the last use is kept, `now` in milliseconds since the epoch. Never rejects: a use that is not noted
   * does no harm.
   */
  async note(table: TableClient, key: Key, now: number): Promise<void> {
    const date = new Date(now).toISOString().slice(0, 10);
    const name = `${key.pk} ${key.sk} ${date}`;
    if (this.#noted.has(name)) return;
    this.#noted.add(name);
    const update = {
      Key: key,
      UpdateExpression: 'SET last_used_on = :date',
      ConditionExpression: 'attribute_not_exists(last_used_on) OR last_used_on < :date',
      ExpressionAttributeValues: { ':date': date },
    };
    await table.update(update, timeoutMs).catch(() => {});
  }
}
