import { setTimeout as wait } from 'node:timers/promises';
import type { TableClient } from '../../table/client.ts';
import { organizationKey } from '../../table/keys.ts';
import { type ReindexResult, reindexLeads } from './reindex.ts';
import { type SearchState, searchItem, toSearchState } from './state.ts';

/** By then every request, and every page of a reindex, that read the state before it changed has ended. */
const oldRequestsMs = 12_000;

/**
 * Switches an organization's search on once all of its leads have word items, or switches it off and removes those. It
 * can be interrupted and repeated while the service runs; a search that is on stays on during a repeat. A request that
 * began before the switch may still write a lead by the old state, so the leads are read after all of these have ended.
 */
export const switchSearch = async (
  table: TableClient,
  organizationId: string,
  state: 'on' | 'off',
  waitForRequests = (): Promise<unknown> => wait(oldRequestsMs),
): Promise<ReindexResult> => {
  const isOn = state === 'on';
  const before = toSearchState(await table.get(organizationKey(organizationId)));
  if (!isOn || before !== 'on') {
    await putState(table, organizationId, isOn ? 'reindexing' : 'off');
    await waitForRequests();
  }
  const result = await reindexLeads(table, organizationId);
  if (isOn) await putState(table, organizationId, 'on');
  return result;
};

const putState = (
  table: TableClient,
  organizationId: string,
  state: SearchState,
): Promise<void> => {
  const isOn = state === 'on';
  return table.transact([
    {
      Update: {
        Key: organizationKey(organizationId),
        UpdateExpression: 'SET #search = :search',
        ConditionExpression: `attribute_exists(pk)${isOn ? ' AND #search <> :off' : ''}`,
        ExpressionAttributeNames: { '#search': 'search' },
        ExpressionAttributeValues: {
          ':search': searchItem(state).search,
          ...(isOn && { ':off': searchItem('off').search }),
        },
      },
      ...(isOn && { refused: () => new Error('the search was switched off meanwhile') }),
    },
  ]);
};
