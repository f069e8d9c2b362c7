/**
 * What {@code help} says: a page for every statement, with examples that can be typed. Text only:
 * nothing here knows a session or a node. The pages stand in {@code manual.txt}.
 */
@NullMarked
package dev.colonnade.cli.shell.help;

import org.jspecify.annotations.NullMarked;
