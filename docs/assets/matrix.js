// The filter of agents/matrix.md: by agent, event and effect. The tables are read from the page itself.
(() => {
  const place = document.getElementById("matrix-filter");
  if (!place) return;

  const FIXED = 2; // the columns before the effects: the event, its kind
  const tables = [...document.querySelectorAll("table")].filter((table) => heading(table, 0) === "event");
  const agents = tables.map((table) => ({ table, title: titleOf(table) }));
  const effects = [...tables[0].querySelectorAll("thead th")].slice(FIXED).map((cell) => cell.textContent.trim());

  const agent = choice("Agent", agents.map((one) => text(one.title)));
  const kind = choice("Event", [...new Set(tables.flatMap((table) => rows(table).map((row) => cell(row, 1))))].sort());
  const effect = choice("Feature", effects);
  const enforced = document.createElement("input");
  enforced.type = "checkbox";
  label("Only what is enforced", enforced);
  const count = document.createElement("span");
  count.setAttribute("role", "status");
  place.append(count);

  place.addEventListener("change", () => {
    remember();
    filter();
  });
  recall();
  filter();

  function filter() {
    const column = effects.indexOf(effect.value);
    let shown = 0;
    let with_rows = 0;
    for (const one of agents) {
      const wanted = !agent.value || text(one.title) === agent.value;
      let left = 0;
      for (const row of rows(one.table)) {
        const cells = column < 0 ? effects.map((_, n) => cell(row, FIXED + n)) : [cell(row, FIXED + column)];
        const fits = !enforced.checked || cells.some((found) => found.startsWith("enforced"));
        row.hidden = !(wanted && fits && (!kind.value || cell(row, 1) === kind.value));
        left += row.hidden ? 0 : 1;
      }
      for (const row of one.table.rows) {
        effects.forEach((_, n) => (row.cells[FIXED + n].hidden = column >= 0 && n !== column));
      }
      for (const part of section(one.title)) part.hidden = !left;
      shown += left;
      with_rows += left ? 1 : 0;
    }
    count.textContent = `${shown} events of ${with_rows} agents`;
  }

  // The address keeps the filter, so that you can pass it on.
  function remember() {
    const said = new URLSearchParams();
    for (const one of [agent, kind, effect]) if (one.value) said.set(one.name, one.value);
    if (enforced.checked) said.set("enforced", "1");
    history.replaceState(null, "", `${location.pathname}${said.size ? `?${said}` : ""}`);
  }

  function recall() {
    const said = new URLSearchParams(location.search);
    for (const one of [agent, kind, effect]) one.value = said.get(one.name) || "";
    for (const one of [agent, kind, effect]) if (one.selectedIndex < 0) one.value = "";
    enforced.checked = said.has("enforced");
  }

  function choice(name, values) {
    const made = document.createElement("select");
    made.name = name.toLowerCase();
    made.append(new Option("all", ""), ...values.map((value) => new Option(value, value)));
    label(name, made);
    return made;
  }

  function label(name, control) {
    const made = document.createElement("label");
    made.append(`${name} `, control);
    place.append(made);
  }

  function titleOf(table) {
    let above = table;
    while (above && above.tagName !== "H2") above = above.previousElementSibling || above.parentElement;
    return above;
  }

  // The heading and everything up to the next one.
  function section(title) {
    const parts = [title];
    for (let next = title.nextElementSibling; next && next.tagName !== "H2"; next = next.nextElementSibling) {
      parts.push(next);
    }
    return parts;
  }

  function rows(table) {
    return [...table.tBodies[0].rows];
  }

  function cell(row, column) {
    return row.cells[column].textContent.trim();
  }

  function heading(table, column) {
    const found = table.querySelectorAll("thead th")[column];
    return found ? found.textContent.trim() : "";
  }

  function text(title) {
    return title.firstChild.textContent.trim(); // without the link that the site puts behind it
  }
})();
