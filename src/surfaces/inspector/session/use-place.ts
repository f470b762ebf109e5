// Reads the current place from the address, and renders a view again when the address changes.
import { useEffect, useState } from "preact/hooks";
import { addressOf, type Place, placeOf } from "./place.ts";

export function usePlace(): Place {
  const [place, setPlace] = useState(() => placeOf(location.hash));
  useEffect(() => {
    const follow = (): void => setPlace(placeOf(location.hash));
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return place;
}

export function goTo(place: Place): void {
  location.hash = addressOf(place);
}
