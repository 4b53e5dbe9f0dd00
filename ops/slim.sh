#!/bin/sh
# Take out of an environment what Griot never opens: `ops/slim.sh /opt/griot`. It goes from 400 MB to
# 220; the image's last step before the bytecode is made, and nothing that a test environment needs.
set -eu
packages=$(echo "$1"/lib/python3.*/site-packages)

# Of what only compilers, type checkers and installers read. Licences stay.
find "$packages" \( -name '*.pyi' -o -name '*.pyx' -o -name '*.pxd' -o -name '*.[ch]' \) -delete
rm -f "$packages"/*.dist-info/RECORD "$packages"/*.dist-info/sboms/*
find "$packages" -type d -name tests -prune -exec rm -rf {} +
# Names of places by number; `bot/accounts/phone_numbers.py` asks for countries and time zones only.
rm -f "$packages"/phonenumbers/geodata/data*.py
# Dates are written in French and English (`bot/i18n.py`).
find "$packages"/babel/locale-data -name '*.dat' \
    ! -name 'root.dat' ! -name 'fr*.dat' ! -name 'en*.dat' -delete
# Words of a hundred languages by which text is told from menus, in a way that we do not use.
rm -f "$packages"/justext/stoplists/*.txt
# Forms of version 1, which nobody here speaks; schemas of XML; what Pillow shows on a screen.
rm -rf "$packages"/pydantic/v1 "$packages"/lxml/isoschematron "$packages"/PIL/_imagingtk*.so
# Of Twilio's library only the check of signatures is used.
rm -rf "$packages"/twilio/rest
# Photos come as JPEG, PNG or WebP; documents are read as trees, not as objects.
rm -rf "$packages"/PIL/_avif*.so "$packages"/pillow.libs/libavif* "$packages"/lxml/objectify*.so
# Symbols that only a debugger reads.
if command -v strip >/dev/null; then
    find "$packages" -name '*.so' -exec strip --strip-unneeded {} \; 2>/dev/null
fi
