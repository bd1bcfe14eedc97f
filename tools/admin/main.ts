import { runAdmin } from './program.ts';

// The administrator's command line. Whoever may use the table in AWS may use this. It checks no permissions of its
// own.

process.exitCode = await runAdmin(process.argv.slice(2));
