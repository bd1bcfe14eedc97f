import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { loadOperations } from './operations.ts';
import { option, refuseUnknownOptions } from './options.ts';
import { ServiceStack } from './service-stack.ts';
import { defaultStackName } from './stack-name.ts';

// What `cdk synth` and `cdk deploy` run. A second stage beside the first: `-c stack=Name`.
const app = new App();
refuseUnknownOptions(app);
const name = option(app, 'stack') ?? defaultStackName;
new ServiceStack(app, name, await loadOperations());
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
app.synth();
