import { memo, type FC } from 'react';
import styles from './view.module.css';

interface Props<T> {
  items: T[];
  render: (item: T) => JSX.Element;
}

// A list of things.
export const List = <T,>({ items, render }: Props<T>) => {
  return <ul className={styles.list}>{items.map((item) => render(item))}</ul>;
};

export const Title: FC<{ text: string }> = memo(function Title({ text }) {
  return <h1>{text}</h1>;
});

export default class View<P extends object> extends React.Component<P> {
  state: { open: boolean } = { open: false };

  toggle = () => this.setState((state) => ({ open: !state.open }));

  render() {
    const { open } = this.state;
    return (
      <>
        <List<string> items={['a']} render={(item) => <Title text={item} />} />
        {open && <Dialog.Window onClose={this.toggle}>text</Dialog.Window>}
      </>
    );
  }
}
