/** Jlama's KV cache as Kvasir sees it, and a program that generates text with it. */
package io.kvasir.examples.jlama;
