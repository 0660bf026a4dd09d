import { signal } from "@preact/signals";
import { render } from "preact";
import { board, follow, takeToken, trouble } from "./server.ts";
import { BoardView, EntryView, ProofView, ReceiptView } from "./views.tsx";

const place = signal(location.hash);

function Page() {
  const [, what = "", id = ""] = place.value.split("/");
  return (
    <>
      <nav aria-label="Pages">
        <a href="#/">Board</a> <a href="#/proof">Proof</a>
      </nav>
      {trouble.value !== "" && (
        <p class="bad" role="alert">
          {trouble.value}
        </p>
      )}
      {view(what, id)}
    </>
  );
}

function view(what: string, id: string) {
  switch (what) {
    case "proof":
      return <ProofView />;
    case "receipt":
      return <ReceiptView key={id} id={id} />;
    case "entry":
      return board.value === undefined ? null : <EntryView key={id} id={id} />;
    default:
      return <BoardView />;
  }
}

takeToken();
place.value = location.hash;
addEventListener("hashchange", () => {
  takeToken();
  place.value = location.hash;
});
render(<Page />, document.body);
void follow();
