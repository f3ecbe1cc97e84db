// A browser starts no worker for a page that you open from a folder. There the search runs in a hidden frame instead.
if (location.protocol === "file:") {
  window.Worker = class {
    constructor(url) {
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      this.ready = new Promise((done) => (this.frame.onload = done));
      const page = this.frame.contentDocument;
      page.open();
      this.frame.contentWindow.postMessage = (data) => setTimeout(() => this.onmessage?.({ data: structuredClone(data) }));
      page.write(`<script src="${new URL(url, location.href)}"></script>`);
      page.close();
    }

    postMessage(data) {
      const copy = structuredClone(data); // as a worker gets it
      this.ready.then(() => this.frame.contentWindow?.onmessage({ data: copy }));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
