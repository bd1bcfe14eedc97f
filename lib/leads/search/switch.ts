import { setTimeout as wait } from 'node:timers/promises';
import type { TableClient } from '../../table/client.ts';
import { organizationKey } from '../../table/keys.ts';
import { type ReindexResult, reindexLeads } from './reindex.ts';
import { type SearchState, searchItem, toSearchState } from './state.ts';

/** A request that read the state before it changed has ended after so many milliseconds, as has a command's page of leads. */
const requestsEndMs = 12_000;

/**
 * Switches the search of an organization on, once all of its leads have their words, or off, and removes
 * them. Can be repeated and interrupted while the service runs: what is on stays on meanwhile. A lead that was made
 * or restored meanwhile may not know of the switch: so the leads are read only after all such requests have ended.
 */
export const switchSearch = async (
  table: TableClient,
  organizationId: string,
  state: 'on' | 'off',
  waitForRequests = (): Promise<unknown> => wait(requestsEndMs),
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
