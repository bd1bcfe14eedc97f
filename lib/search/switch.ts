import { setTimeout as wait } from 'node:timers/promises';
import { type Filled, fillLeads } from '../leads/fill.ts';
import { firstIdAt } from '../leads/lead.ts';
import type { TableClient } from '../table/client.ts';
import { organizationKey } from '../table/keys.ts';
import { type SearchState, searchItem } from './state.ts';

/** A request that read the state before it changed has ended after so many milliseconds. */
const requestsEndWithin = 12_000;
/** Its lead's id is not older than this, in milliseconds: clocks may differ. */
const idsAreYoungerThan = 60_000;

/**
 * Switches the search of an organization on, once all of its leads have their words, or off, and removes
 * them. Can be repeated and interrupted while the service runs. A lead that was being created meanwhile may
 * not know of the switch: those are looked at again once all such requests have ended.
 */
export const switchSearch = async (
  table: TableClient,
  organizationId: string,
  state: 'on' | 'off',
  endWithin = requestsEndWithin,
): Promise<Filled> => {
  const isOn = state === 'on';
  await putState(table, organizationId, isOn ? 'filling' : 'off');
  const switchedAt = Date.now();
  const all = await fillLeads(table, organizationId, isOn);
  await wait(Math.max(0, switchedAt + endWithin - Date.now()));
  const young = firstIdAt(switchedAt - idsAreYoungerThan);
  const late = await fillLeads(table, organizationId, isOn, young);
  if (isOn) await putState(table, organizationId, 'on');
  return { leads: all.leads, changed: all.changed + late.changed };
};

const putState = (table: TableClient, organizationId: string, state: SearchState): Promise<void> =>
  table.transact([
    {
      Update: {
        Key: organizationKey(organizationId),
        UpdateExpression: 'SET #search = :search',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeNames: { '#search': 'search' },
        ExpressionAttributeValues: { ':search': searchItem(state).search },
      },
    },
  ]);
