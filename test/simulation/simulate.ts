// `npm run simulate -- --seed N --minutes M`: races, lost answers and late writes in an order that the seed chooses.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Processes } from '@leads-and-stars/runner';
import { Command } from 'commander';
import type { Item } from '../../lib/table/table.ts';
import { startTable } from '../setup/table.ts';
import { number } from '../support/number.ts';
import { pick, seed } from '../support/random.ts';
import { BadDay } from './bad-day.ts';
import { Billing } from './billing.ts';
import { type Action, Organization } from './organization.ts';
import { Sales } from './sales.ts';
import { World } from './world.ts';

/** Writes of a hundred that fail. */
const badDays = [0, 5, 20, 40];
const callers = [1, 3, 6];
const actions = 60;

/** A table in an engine of its own. */
export interface Table {
  endpoint: string;
  name: string;
}

/** What was simulated. */
export interface Simulated {
  /** What became of the writes, by how many. */
  outcomes: ReadonlyMap<string, number>;
  /** All that is in the table at the end. */
  items: readonly Item[];
  /** Throws unless these items fit together and are what the callers were told. */
  audit(items: readonly Item[]): void;
}

type Simulation = (table: Table, seed: number) => Promise<Simulated>;

/** Where callers act. */
interface Scene {
  begin(): Promise<void>;
  readonly actions: readonly Action[];
  /** What is done once callers are quiet, on a good day. */
  end?(): Promise<void>;
  audit(items: readonly Item[]): void;
}

/** Has callers do by chance what they do in a scene, and audits it. The same seed has the same callers do the same. */
const simulationOf =
  (sceneOf: new (organization: Organization) => Scene): Simulation =>
  async (table, seed) => {
    const world = new World(seed);
    const store = new BadDay(world, table);
    const scene = new sceneOf(new Organization(world, store));
    await world.run(() => scene.begin());
    store.faults = pick(world.next, badDays);
    const together = pick(world.next, callers);
    const act = async () => {
      for (let i = 0; i < actions / together; i++) {
        await pick(world.next, scene.actions).call(scene);
      }
    };
    await world.run(() => Promise.all(Array.from({ length: together }, act)));
    store.faults = 0;
    await world.run(async () => scene.end?.());
    const items = await store.items();
    scene.audit(items);
    return { outcomes: store.outcomes, items, audit: (some) => scene.audit(some) };
  };

export const simulations = { sales: simulationOf(Sales), billing: simulationOf(Billing) };

const main = async (): Promise<void> => {
  const { seed: first, minutes } = new Command('npm run simulate --')
    .description(
      'races, lost answers and late writes in an order that the seed chooses, and an audit',
    )
    .option('--seed <n>', 'of the first sequence', number, seed)
    .option('--minutes <n>', 'how long', number, 1)
    .parse()
    .opts<{ seed: number; minutes: number }>();
  console.info(`from seed ${first}, for ${minutes} minutes`);
  const directory = await mkdtemp(join(tmpdir(), 'leads-and-stars-'));
  const processes = new Processes();
  try {
    const table = await startTable(processes, directory);
    const end = Date.now() + minutes * 60_000;
    let [seed, writes] = [first, 0];
    for (; seed === first || Date.now() < end; seed++) {
      for (const [scene, simulation] of Object.entries(simulations)) {
        try {
          const { outcomes } = await simulation(table, seed);
          for (const number of outcomes.values()) writes += number;
        } catch (error) {
          throw new Error(`${scene}, seed ${seed}`, { cause: error });
        }
      }
    }
    console.info(`seeds ${first} to ${seed - 1}: ${writes} writes, no finding`);
  } finally {
    await processes.close();
    await rm(directory, { recursive: true });
  }
};

if (import.meta.main) await main();
