import { ObjectLink } from '#console/ui/object-link.tsx';
import { ToneShape } from '#console/ui/state.tsx';
import { moneyText, numberText, timeText } from '#console/words/values.ts';
import { type Grounds, isValidAt, type Price, tierFor, type TraceEntry, whyOf } from './explain.ts';
import { priceWords as w } from './prices.words.ts';

type Props = Omit<Grounds, 'prices'> & { prices: ReadonlyMap<string, readonly Price[]> };

/** The price lists in the order in which they are asked: which applies, which does not, and why. */
export function PriceChain({ prices, ...grounds }: Props) {
  return (
    <ol className="chain" aria-label={w.chain}>
      {grounds.found.trace.map((entry) => (
        <ChainLink key={entry.list} entry={entry} grounds={{ ...grounds, prices: prices.get(entry.list) ?? [] }} />
      ))}
    </ol>
  );
}

const tones = { selected: 'succeeded', outranked: 'waiting' } as const;

function ChainLink({ entry, grounds }: { entry: TraceEntry; grounds: Grounds }) {
  const { list, reason, priceList } = entry;
  const tone = tones[reason as keyof typeof tones] ?? 'cancelled';
  return (
    <li className={`chain-link chain-${reason}`} aria-current={reason === 'selected' ? 'true' : undefined}>
      <span className={`chain-mark state-${tone}`}>
        <ToneShape tone={tone} />
      </span>
      <div className="chain-body">
        <p className="chain-head">
          <strong>
            {priceList ? (
              <ObjectLink noun="price-lists" id={priceList.id}>
                {list}
              </ObjectLink>
            ) : (
              list
            )}
          </strong>
          <span dir="auto">{priceList?.name}</span>
          <span className={`state-${tone}`}>{w.reason(reason)}</span>
        </p>
        <p>{whyOf(entry, grounds)}</p>
        {priceList && <p className="quiet">{scopeText(priceList)}</p>}
        {reason !== 'scope_mismatch' && grounds.prices.length > 0 && (
          <Tiers {...grounds} hasPrice={reason === 'selected' || reason === 'outranked'} />
        )}
      </div>
    </li>
  );
}

function scopeText(list: NonNullable<TraceEntry['priceList']>): string {
  const scopes = (['customer', 'channel', 'market'] as const).flatMap((scope) => {
    const value = list[scope];
    return value === null ? [] : [w.scope(scope, value)];
  });
  return [
    w.priority(numberText(list.priority)),
    list.currency + (list.taxIncluded ? ` ${w.withTax}` : ''),
    scopes.join(', ') || w.everybody,
    list.validFrom && w.since(timeText(list.validFrom)),
    list.validUntil && w.until(timeText(list.validUntil)),
  ]
    .filter(Boolean)
    .join(' · ');
}

/** The tiers of the list; the one for the quantity is marked, and those that are not valid are struck through. */
function Tiers({ prices, question, at, hasPrice }: Grounds & { hasPrice: boolean }) {
  const chosen = hasPrice && tierFor(prices, question.quantity.trim(), at);
  return (
    <ul className="tiers">
      {prices.map((price) => (
        <li
          key={price.id}
          className={`tier${price === chosen ? ' tier-chosen' : ''}${isValidAt(price, at) ? '' : ' tier-over'}`}
          aria-current={price === chosen ? 'true' : undefined}
        >
          <span className="quiet">{w.tier(numberText(price.quantityFrom))}</span>{' '}
          {moneyText(price.amount, price.currency)}
        </li>
      ))}
    </ul>
  );
}
