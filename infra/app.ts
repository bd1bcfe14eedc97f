import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { loadOperations } from './operations.ts';
import { createService } from './service-stack.ts';

// What `cdk synth` and `cdk deploy` run.
const app = new App();
createService(app, await loadOperations());
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
app.synth();
