// Charges a saved card when stars are low, and gives a pack for it: docs/stripe.md. Run one such process.

import { mkdir, open, readdir, readFile, rename } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';

const { BASE_URL, PLATFORM_KEY, STRIPE_SECRET_KEY, PORT = 4001 } = process.env;
const {
  STRIPE_URL = 'https://api.stripe.com',
  CUSTOMERS = 'customers.json',
  ATTEMPTS = 'attempts',
} = process.env;
const pack = { stars: 500, amount: 1000, currency: 'eur' };
const mostAmountOfMonth = 3000;
const oldestMs = 60 * 60 * 1000;

// Of each organization: { "secret": "whsec_…", "customer": "cus_…", "payment_method": "pm_…" }.
const customers = JSON.parse(await readFile(CUSTOMERS, 'utf8'));
await mkdir(ATTEMPTS, { recursive: true });
const attempts = new Map();

const isTimely = ({ at }) => Date.now() - Date.parse(at) < oldestMs;

// Kept on the disk before anything stands on it. In a real service: a row of your database.
const keep = async (attempt) => {
  const path = join(ATTEMPTS, `${attempt.id}.json`);
  const file = await open(`${path}.new`, 'w');
  await file.writeFile(JSON.stringify(attempt));
  await file.sync();
  await file.close();
  await rename(`${path}.new`, path);
  attempts.set(attempt.id, attempt);
  return attempt;
};

const ask = async (url, method, headers, body) => {
  const signal = AbortSignal.timeout(30_000);
  const response = await fetch(url, { method, headers, body, signal, redirect: 'error' });
  if (response.ok) return response.json();
  throw new Error(`${method} ${url} is answered ${response.status}: ${await response.text()}`);
};

const intents = (path, fields, key) =>
  ask(
    `${STRIPE_URL}/v1/payment_intents${path}`,
    fields ? 'POST' : 'GET',
    { Authorization: `Bearer ${STRIPE_SECRET_KEY}`, ...(key && { 'Idempotency-Key': key }) },
    fields && new URLSearchParams(fields),
  );

const ours = (organization, method, path, body) =>
  ask(
    `${BASE_URL}${path}`,
    method,
    {
      Authorization: `Bearer ${PLATFORM_KEY}`,
      'X-Organization-Id': organization,
      'Content-Type': 'application/json',
    },
    body && JSON.stringify(body),
  );

// Stripe forgets idempotency keys after a day, but a payment intent is paid once, for ever. So it is made without being
// charged, its id is kept, and only then it is confirmed: whatever is repeated of that, and whenever, charges once.
const proceed = async (attempt) => {
  const { id, organization, stars, amount, currency, customer, payment_method } = attempt;
  if (!attempt.intent) {
    if (!isTimely(attempt)) return keep({ ...attempt, state: 'too late' });
    const methods = 'automatic_payment_methods';
    const fields = { amount, currency, customer, payment_method, 'metadata[top_up]': id };
    const made = await intents(
      '',
      { ...fields, [`${methods}[enabled]`]: true, [`${methods}[allow_redirects]`]: 'never' },
      `top-up-${id}`,
    );
    return proceed(await keep({ ...attempt, intent: made.id }));
  }
  const path = `/${attempt.intent}`;
  let intent = await intents(path);
  if (intent.status === 'requires_confirmation' && isTimely(attempt)) {
    // A card that is declined is an error here. The intent says what has become of it.
    const charge = { off_session: true, error_on_requires_action: true };
    await intents(`${path}/confirm`, charge).catch(tell);
    intent = await intents(path);
    if (intent.status === 'requires_confirmation') throw new Error(`${id} is not charged yet`);
  }
  // A bank may take days.
  if (intent.status === 'processing') return attempt;
  if (intent.status !== 'succeeded') {
    if (intent.status !== 'canceled') await intents(`${path}/cancel`, {});
    return keep({ ...attempt, state: isTimely(attempt) ? 'declined' : 'too late' });
  }
  const bought = { type: 'pack.purchased', stars, payment: attempt.intent, amount };
  await ours(organization, 'PUT', `/billing/events/top-up-${id}`, bought);
  return keep({ ...attempt, state: 'done' });
};

const ofState = (...states) => [...attempts.values()].filter(({ state }) => states.includes(state));

const take = async ({ type, event_id: id, at, organization_id: organization, threshold }) => {
  if (type !== 'stars.low') return;
  const isOwn = (one) => one.organization === organization;
  for (const attempt of ofState('open').filter(isOwn)) await proceed(attempt);
  // A late repeat charges nothing: what was begun goes on by itself.
  if (attempts.has(id) || ofState('open').some(isOwn) || !isTimely({ at })) return;
  const { available_stars } = await ours(organization, 'GET', '/billing/balance');
  if (available_stars > threshold) return;
  const ofMonth = ofState('done').filter((one) => isOwn(one) && one.at.startsWith(at.slice(0, 7)));
  const amount = ofMonth.reduce((sum, one) => sum + one.amount, pack.amount);
  if (amount > mostAmountOfMonth) return;
  const { customer, payment_method } = customers[organization];
  await proceed(
    await keep({ id, at, organization, customer, payment_method, ...pack, state: 'open' }),
  );
};

// One after another: two messages of one moment must not both find too few stars.
let last = Promise.resolve();
const inTurn = (work) => {
  last = last.then(work, work);
  return last;
};
const tell = ({ message }) => console.error(message);
const goOn = () =>
  inTurn(async () => {
    for (const attempt of ofState('open')) await proceed(attempt).catch(tell);
  });

const server = createServer(async (request, response) => {
  let change;
  try {
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += part;
    // The address of a webhook ends with its organization.
    const organization = request.url.slice(1);
    change = new Webhook(customers[organization].secret).verify(body, request.headers);
    if (change.organization_id !== organization) throw new Error('is of another organization');
  } catch {
    return response.writeHead(401).end();
  }
  const status = await inTurn(() => take(change)).then(
    () => 204,
    (error) => {
      tell(error);
      return 503;
    },
  );
  return response.writeHead(status).end();
});

for (const file of (await readdir(ATTEMPTS)).filter((name) => name.endsWith('.json'))) {
  const attempt = JSON.parse(await readFile(join(ATTEMPTS, file), 'utf8'));
  attempts.set(attempt.id, attempt);
}
// A second process on the same port ends here, before it can charge.
server.listen(PORT, () => {
  void goOn();
  setInterval(goOn, 60_000);
});
