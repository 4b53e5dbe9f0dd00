"""The tools of Griot: this tuple is the whole list, in the order in which models see it."""

from __future__ import annotations

from typing import Any

from bot.contracts.tools import Tool
from tools import (
    award_bonus_credits,
    bash_execute,
    browse_url,
    buy_credits,
    create_task,
    draft_email,
    enter_plan_mode,
    exit_plan_mode,
    generate_docx,
    generate_html,
    generate_md,
    generate_pdf,
    generate_pptx,
    generate_xlsx,
    interactive_quiz,
    list_user_files,
    read_user_file,
    report_bug,
    report_exercise_result,
    save_memory,
    search_user_files,
    send_email_to_user,
    send_sms_to_user,
    send_whatsapp_to_user,
    true_false_quiz,
    web_search,
)

TOOLS: tuple[Tool[Any], ...] = (
    web_search.TOOL,
    browse_url.TOOL,
    save_memory.TOOL,
    list_user_files.TOOL,
    read_user_file.TOOL,
    search_user_files.TOOL,
    generate_md.TOOL,
    generate_pdf.TOOL,
    generate_docx.TOOL,
    generate_xlsx.TOOL,
    generate_pptx.TOOL,
    generate_html.TOOL,
    bash_execute.TOOL,
    interactive_quiz.TOOL,
    true_false_quiz.TOOL,
    report_exercise_result.TOOL,
    award_bonus_credits.TOOL,
    create_task.TOOL,
    send_email_to_user.TOOL,
    draft_email.TOOL,
    send_sms_to_user.TOOL,
    send_whatsapp_to_user.TOOL,
    buy_credits.TOOL,
    report_bug.TOOL,
    enter_plan_mode.TOOL,
    exit_plan_mode.TOOL,
)
