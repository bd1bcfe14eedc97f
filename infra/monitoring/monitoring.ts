import { Stack } from 'aws-cdk-lib';
import { AlarmStatusWidget, Dashboard } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import type { Definition } from '../../lib/operations/operation.ts';
import type { Api } from '../api.ts';
import type { EventsIn } from '../events-in.ts';
import type { EventsOut } from '../events-out.ts';
import type { ServiceFunction } from '../service-function.ts';
import type { StreamConsumers } from '../stream-consumers.ts';
import { Alarms } from './alarms.ts';
import { watchApi } from './api.ts';
import { watchCost } from './cost.ts';
import { watchEventsIn, watchEventsOut } from './events.ts';
import { watchFunctions } from './functions.ts';
import { watchStream } from './stream.ts';
import { watchTable } from './table.ts';
import { watchWallets } from './wallets.ts';

export interface Watched {
  api: Api;
  table: ITable;
  functions: readonly { kind: Definition['kind']; fn: ServiceFunction }[];
  eventsIn: EventsIn;
  streamConsumers: StreamConsumers;
  eventsOut: EventsOut | undefined;
}

/** Alarms on what users feel and what the service costs, and one dashboard of the same. */
export class Monitoring extends Construct {
  constructor(scope: Construct, id: string, watched: Watched) {
    super(scope, id);
    const { api, table, functions, eventsIn, streamConsumers, eventsOut } = watched;
    const alarms = new Alarms(this, 'Alarms');
    const logs = functions.map(({ fn }) => fn.logGroup);
    const invokedLogs = functions
      .filter(({ kind }) => kind === 'internal')
      .map(({ fn }) => fn.logGroup);
    watchWallets(alarms, logs);
    const rows = [
      watchApi(alarms, api),
      watchFunctions(alarms, { logs, invokedLogs }),
      watchTable(alarms, table),
      [
        ...watchEventsIn(alarms, eventsIn),
        ...watchStream(alarms, streamConsumers),
        ...(eventsOut ? watchEventsOut(alarms, eventsOut) : []),
      ],
      watchCost(alarms, { table, api, logs }),
    ];
    const status = new AlarmStatusWidget({ title: 'Alarms', alarms: alarms.all, width: 24 });
    new Dashboard(this, 'Dashboard', {
      dashboardName: Stack.of(this).stackName,
      widgets: [[status], ...rows],
    });
  }
}
