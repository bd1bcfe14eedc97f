import type { TableClient } from '../table/client.ts';
import { compare, either, lacks } from '../table/condition.ts';
import type { ItemKey } from '../table/kind.ts';
import { RecentSet } from './recent-map.ts';

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
  async note(
    table: TableClient,
    key: ItemKey<{ last_used_on: string }>,
    now: number,
  ): Promise<void> {
    const date = new Date(now).toISOString().slice(0, 10);
    const name = `${key.pk} ${key.sk} ${date}`;
    if (this.#noted.has(name)) return;
    this.#noted.add(name);
    const isLater = either(lacks('last_used_on'), compare('last_used_on', '<', date));
    await table.update(key, { set: { last_used_on: date } }, isLater, timeoutMs).catch(() => {});
  }
}
