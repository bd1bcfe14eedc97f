// As probe.mjs, but the bundle is loaded with V8's code cache of it, which V8 has to find 'good' or
// 'refused'; where there is none, it is written once the first event is answered.
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { Script, constants } = require('node:vm');

const [, , bundle, , expected] = process.argv;
const file = `${bundle}.cache`;
const cachedData = existsSync(file) ? readFileSync(file) : undefined;
const script = new Script(Module.wrap(readFileSync(bundle, 'utf8')), {
  filename: bundle,
  cachedData,
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
});
const found = script.cachedDataRejected ? 'refused' : 'good';
if (cachedData && found !== expected) throw new Error(`V8 finds the code cache ${found}`);

const loaded = new Module(bundle);
loaded.filename = bundle;
loaded.paths = Module._nodeModulePaths(bundle);
const required = (name) => loaded.require(name);
script.runInThisContext().call(loaded.exports, loaded.exports, required, loaded, bundle, '');
require.cache[bundle] = loaded;
if (!cachedData) process.on('exit', () => writeFileSync(file, script.createCachedData()));

import('./probe.mjs');
