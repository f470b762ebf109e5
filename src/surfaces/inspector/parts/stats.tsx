// Shows figures side by side, each with its name.

interface StatsProps {
  readonly label: string;
  readonly figures: readonly { readonly name: string; readonly value: string; readonly title?: string | undefined }[];
}

export function Stats({ label, figures }: StatsProps) {
  return (
    <dl class="stats" aria-label={label}>
      {figures.map(({ name, value, title }) => (
        <div key={name} title={title}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
