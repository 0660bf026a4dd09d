/** An amount of money for people: `$0.006`, `$12.30`. Amounts from a tenth of a cent on are rounded to it. */
export function dollars(amount: number): string {
  if (amount === 0) return "$0";
  if (amount < 0.000_001) return "under $0.000001";
  if (amount < 0.001) return `$${amount.toFixed(6).replace(/0+$/, "")}`;
  return `$${amount.toFixed(amount < 1 ? 3 : 2)}`;
}
