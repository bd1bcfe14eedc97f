#!/bin/sh
# A subscription in a sandbox of Stripe, by a test clock that is moved: docs/stripe.md. Prints the wallet after each step.
set -eu
: "${STRIPE_SECRET_KEY:?}" "${BASE_URL:?}" "${PLATFORM_KEY:?}" "${CUSTOMER:?}"
case $STRIPE_SECRET_KEY in *_test_*) ;; *) echo 'This is no key of a sandbox.' >&2 && exit 1 ;; esac
day=86400
now=$(date +%s)

field() { node -p "JSON.parse(fs.readFileSync(0)).$1"; }
# A path of Stripe's, the field of its answer that is printed, and options of curl.
stripe() {
  path=$1 wanted=$2
  shift 2
  curl -fsS "${STRIPE_URL:-https://api.stripe.com}/v1/$path" -u "$STRIPE_SECRET_KEY:" "$@" | field "$wanted"
}
ours() {
  path=$1
  shift
  curl -fsS "$BASE_URL$path" -H "Authorization: Bearer $PLATFORM_KEY" -H "X-Organization-Id: $CUSTOMER" \
    -H 'Content-Type: application/json' "$@"
}
# A plan of so many stars, which a new price sells for so many cents. Prints the price.
plan() {
  price=$(stripe prices id -d currency=eur -d unit_amount="$3" -d 'recurring[interval]=month' -d "product_data[name]=$1")
  ours "/billing/plans/$1" -X PUT -o /dev/null -d '{"name":"'"$1"'","monthly_grant_stars":'"$2"',"price_cents":'"$3"',
    "currency":"EUR","stripe_prices":["'"$price"'"],"trial_stars":50}'
  echo "$price"
}
move_to() {
  stripe "test_helpers/test_clocks/$clock/advance" status -d frozen_time="$1" > /dev/null
  until [ "$(stripe "test_helpers/test_clocks/$clock" status)" = ready ]; do sleep 2; done
}
show() {
  sleep "${WAIT:-15}" # Events come by bus and queue.
  echo "$1"
  ours /billing/balance
  echo
}

basic=$(plan "sandbox-basic-$now" 300 1000)
pro=$(plan "sandbox-pro-$now" 900 3000)
clock=$(stripe test_helpers/test_clocks id -d frozen_time=$((now - 3 * day)))
buyer=$(stripe customers id -d test_clock="$clock" -d payment_method=pm_card_visa \
  -d 'invoice_settings[default_payment_method]=pm_card_visa')
subscription=$(stripe subscriptions id -d customer="$buyer" -d "items[0][price]=$basic" -d trial_period_days=7 \
  -d "metadata[organization_id]=$CUSTOMER")
show 'In a trial: monthly_stars is 50.'

move_to "$now"
stripe "subscriptions/$subscription" status -d trial_end=now > /dev/null
show 'The trial has ended, and a month is paid: 300.'

item=$(stripe "subscriptions/$subscription" 'items.data[0].id')
stripe "subscriptions/$subscription" status -d "items[0][id]=$item" -d "items[0][price]=$pro" \
  -d proration_behavior=always_invoice > /dev/null
show 'Upgraded, and invoiced at once: 900, or a star less.'

move_to $((now + 32 * day))
show 'Renewed: next_grant has 900 stars. The wallet goes by the real clock, and waits for them.'

stripe "subscriptions/$subscription" status -X DELETE -d prorate=true -d invoice_now=true > /dev/null
show 'Canceled, with credit for the days left: next_grant has what was not credited.'
