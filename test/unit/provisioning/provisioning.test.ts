import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { provision, provisioningInput } from '../../../lib/provisioning/provisioning.ts';
import { openTable } from '../../../lib/table/client.ts';
import '../support.ts';

test('a repeat is answered by a version that has a field more, and refused where that is asked for', async () => {
  const table = openTable();
  const asked = provisioningInput.parse({
    organization_id: randomUUID(),
    name: 'Cedro',
    members: [{ user_id: randomUUID(), role: 'owner' }],
  });
  const later = (colour: string | null) => ({
    ...asked,
    pipelines: asked.pipelines.map((pipeline) => ({ ...pipeline, colour })),
  });
  const first = await provision(table, asked);
  expect(await provision(table, later(null))).toEqual(first);
  await expect(provision(table, later('red'))).rejects.toMatchObject({ code: 'invalid_request' });
});
