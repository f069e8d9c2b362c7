/**
 * The mail application of the talk: an inbox that is joined from four families when it is read, and
 * three lists of what has a word, each in the order in which it is read. {@link
 * dev.colonnade.cli.demo.mail.MailApplication} is the application, with its records and {@link
 * dev.colonnade.cli.demo.mail.WordLists}; the rest is the walkthrough.
 */
@NullMarked
package dev.colonnade.cli.demo.mail;

import org.jspecify.annotations.NullMarked;
